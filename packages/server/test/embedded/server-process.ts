// Runs small-server.ts in its own process, which a test can kill.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { EmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';

type Connection = EmbeddedPostgres['connection'];

export type ServerProcess = ReturnType<typeof startServerProcess>;

export interface ServerProcessOptions {
  dataFolder: string;
  task?: 'idle' | 'write' | 'ignore interrupts';
  node?: string;
  script?: string;
  runAs?: { uid: number; gid: number } | undefined;
  env?: Record<string, string>;
}

export function startServerProcess(options: ServerProcessOptions) {
  const script = options.script ?? fileURLToPath(new URL('./small-server.ts', import.meta.url));
  const server = spawn(
    options.node ?? process.execPath,
    [script, options.dataFolder, options.task ?? 'idle'],
    {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', ...options.env },
      ...options.runAs,
    },
  );
  const output = readOutput(server);
  const end = new Promise<number | null>((resolve) => server.on('close', resolve));
  return {
    ready: () =>
      waitFor(() => (output.told.get('ready') ?? output.failure()) as Connection | undefined, {
        what: 'a server that is ready',
      }),
    /** `ready` or the problem, whichever comes first. */
    outcome: () =>
      waitFor(() => (output.told.has('ready') ? 'ready' : output.told.get('problem')) as string | undefined, {
        what: 'a server that is ready or reports a problem',
      }),
    /** The number of rows acknowledged to the server so far. */
    acknowledged: () => Number(output.told.get('acknowledged') ?? 0),
    signal: (name: NodeJS.Signals) => void server.kill(name),
    /** Signals every process of the server's group, as Ctrl-C in a terminal does. */
    signalGroup: (name: NodeJS.Signals) => void process.kill(-(server.pid ?? Number.NaN), name),
    ended: () => end,
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await end;
    },
  };
}

/** The last value of each kind that the server printed. */
function readOutput(server: ChildProcess) {
  const told = new Map<string, unknown>();
  let rest = '';
  let errors = '';
  let hasEnded = false;
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { kind, value } = JSON.parse(line) as { kind: string; value: unknown };
      told.set(kind, value);
    }
  });
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  server.on('close', () => {
    hasEnded = true;
  });
  const failure = () => {
    if (hasEnded)
      throw new Error(`the server ended after it printed ${JSON.stringify([...told])}: ${errors}`);
    return undefined;
  };
  return { told, failure };
}
