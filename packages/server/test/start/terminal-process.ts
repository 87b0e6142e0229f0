// A server on a terminal, as a person starts it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { builtProgram, builtProgramEnv } from '../../../../test/support/built-programs.ts';
import { outputOf } from '../../../../test/support/process-output.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

/** Starts a server whose standard streams are a terminal of its own. */
export function startOnTerminal(env: Readonly<Record<string, string>>) {
  const command = `"${process.execPath}" "${builtProgram('server')}"`;
  const running = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      TERM: 'xterm',
      ...builtProgramEnv(),
      OPENTILL_PORT: '0',
      OPENTILL_OPERATOR_PORT: '0',
      ...env,
    },
  });
  const output = outputOf(running);
  const end = once(running, 'close');
  return {
    publicUrl() {
      const text = () => stripVTControlCharacters(output.stdout).replaceAll('\r\n', '\n');
      const url = () => /purchase API +(http:\/\/[^/]+)\/v2\n(?:.*\n)*\n/.exec(text())?.[1];
      return waitFor(url, { what: 'a server that prints where it listens' });
    },
    /** Closes the terminal, as its window does. */
    hangUp: () => void running.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      running.kill();
      await end;
    },
  };
}
