// Limits of a machine or a container: a start with too little is refused, and one with little accepts fewer connections.

import { chmod, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtProgram, builtProgramEnv } from '../../../../test/support/built-programs.ts';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { call, databaseEnv, freshDatabase } from '../../../../test/support/harness.ts';
import { refusedStart, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { findErrorLine } from '../../src/embedded/postgres-settings.ts';
import { checkMachine } from '../../src/program/commands/machine-check.ts';

/** A program that runs Node.js with this limit of open files. */
async function limitedNode(folder: string, filesMax: number): Promise<string> {
  const node = join(folder, 'node');
  await writeFile(node, `#!/bin/sh\nulimit -n ${filesMax}\nexec '${process.execPath}' "$@"\n`);
  await chmod(node, 0o755);
  return node;
}

test('with 511 open files, a start, exec and doctor are refused with one line that names the limit', async () => {
  await using scratch = await makeScratch();
  const node = await limitedNode(scratch.path, 511);
  const line = 'The limit of open files is 511, and a server needs 512: raise it ';
  const env = { ...builtProgramEnv(), OPENTILL_DATA_DIR: scratch.dataFolder };
  for (const args of [['serve'], ['exec', '--', 'true'], ['doctor']]) {
    const { code, stdout, stderr } = await refusedStart({ node, program: builtProgram('cli'), args, env });
    const lines = (stdout + stderr).split('\n').filter((each) => each.includes(line));
    expect([args[0], code, lines.length]).toEqual([args[0], 1, 1]);
    if (args[0] !== 'doctor') expect(stderr).toBe(`${lines[0]}\n`);
  }
});

test('too little shared memory is a failed check that names its folder, and one without is not checked', async () => {
  const results = ['/proc', '/none'].map((sharedMemory) =>
    checkMachine({ databaseUrl: undefined, sharedMemory }),
  );
  expect(await Promise.all(results)).toMatchObject([
    {
      verdict: 'failed',
      detail:
        '/proc has 0 bytes, and PostgreSQL needs 8388608: enlarge it (--shm-size of a container), or set DATABASE_URL.',
    },
    { verdict: 'ok' },
  ]);
  expect(await checkMachine({ databaseUrl: 'postgresql://till@/till', sharedMemory: '/proc' })).toMatchObject(
    {
      verdict: 'ok',
    },
  );
});

test('the line that explains a failed PostgreSQL is its cause, and not the panic that follows', () => {
  const cause =
    'FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device';
  const panic = 'PANIC:  cannot abort transaction 1, it was already committed';
  const rest = 'Aborted\nchild process exited with exit code 134\n';
  expect(findErrorLine(`initdb: Command failed\n${cause}\n${panic}\n${rest}`)).toBe(cause);
  expect(findErrorLine(`${panic}\n${rest}`)).toBe(panic);
});

test('with 1,024 open files, a server survives 1,200 idle connections, and accepts 262 for each listener', async () => {
  await using scratch = await makeScratch();
  await using database = await freshDatabase();
  const env = databaseEnv(database.connection);
  const node = await limitedNode(scratch.path, 1_024);
  await using server = startOpentill({ node, env });
  const { publicUrl, operatorUrl } = await server.ready();
  expect(server.output.stdout).toContain('each listener accepts 262 connections');
  const { hostname, port } = new URL(publicUrl);
  const sockets: Socket[] = [];
  using _ = { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) };
  let closed = 0;
  while (sockets.length < 1_200) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).on('close', () => (closed += 1));
    sockets.push(socket);
    // A kernel whose queue of new connections is full forgets some of them, which then never close.
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  await waitFor(() => closed >= 1_200 - 262, { what: 'closed connections' });
  expect((await call(`${operatorUrl}/health/ready`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await waitFor(
    () =>
      call(`${publicUrl}/none`).then(
        ({ status }) => status === 404,
        () => false,
      ),
    { what: 'a response of the public listener' },
  );
});
