// A log that cannot be written: the server keeps responding and stops on a signal.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { builtProgram, builtProgramEnv } from '../../../../test/support/built-programs.ts';
import { freePort } from '../../../../test/support/documents/free-port.ts';
import { call, databaseEnv, freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { outputOf } from '../../../../test/support/process-output.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const callsAtOnce = 50;
/** More lines of at least 200 bytes than a pipe and the server's buffers can store. */
const callsThatFill = 3_000;

const database = await useForFile(freshDatabase());

/** Starts a server whose standard output is a file descriptor, or a pipe that is never read. */
async function startLoggingTo(stdout: number | 'pipe') {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const running = spawn(process.execPath, [builtProgram('server')], {
    cwd: '/',
    stdio: ['ignore', stdout, 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      ...builtProgramEnv(),
      OPENTILL_PORT: String(port),
      OPENTILL_OPERATOR_PORT: String(operatorPort),
      ...databaseEnv(database.connection),
    },
  });
  const output = outputOf({ stdout: null, stderr: running.stderr });
  const end = once(running, 'close');
  const url = `http://127.0.0.1:${port}/v2/purchase/details/B1/com.example.game`;
  const ready = () => {
    if (running.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
    return fetch(`http://127.0.0.1:${operatorPort}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await waitFor(ready, { what: 'a server that is ready' });
  return {
    output,
    async callOften(calls = 4 * callsAtOnce): Promise<void> {
      for (let made = 0; made < calls; made += callsAtOnce) {
        const statuses = await Promise.all(
          Array.from({ length: callsAtOnce }, async () => (await call(url)).status),
        );
        expect(new Set(statuses)).toEqual(new Set([401]));
      }
    },
    /** Resolves to the exit code and the signal. */
    stop() {
      running.kill('SIGTERM');
      return end;
    },
    async [Symbol.asyncDispose]() {
      running.kill('SIGKILL');
      await end;
    },
  };
}

test('a server whose log is on a full disk responds to every request, stops cleanly and reports the problem once', async () => {
  await using full = await open('/dev/full', 'w');
  await using server = await startLoggingTo(full.fd);
  await server.callOften();
  expect(await server.stop()).toEqual([0, null]);
  expect(server.output.stderr).toBe('Cannot write the log (ENOSPC). The server continues without it.\n');
});

test('a reader that never reads the log delays neither requests nor a stop', async () => {
  await using server = await startLoggingTo('pipe');
  await server.callOften(callsThatFill);
  // The unread lines are discarded with the process.
  expect(await server.stop()).toEqual([null, 'SIGKILL']);
  expect(server.output.stderr).toBe('');
});
