// Starts the real program in a separate process and returns its output and exit code.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram, builtProgramEnv } from '../built-programs.ts';
import { outputOf } from '../process-output.ts';
import { waitFor } from '../wait-for.ts';

export interface OpentillOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Replaces the real program by one that prints the same when it is ready. */
  readonly program?: string;
  /** Replaces the Node.js of the test. */
  readonly node?: string;
}

/** The addresses of a server. */
export interface ServerAddress {
  readonly publicUrl: string;
  readonly operatorUrl: string;
}

export interface OpentillProcess extends AsyncDisposable {
  readonly pid: number;
  /** The output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves to its addresses when it is ready; rejects if it ends before. */
  ready(): Promise<ServerAddress>;
  signal(name: NodeJS.Signals): void;
  /** Kills the process with SIGKILL, and waits until all of its processes have ended. */
  kill(): Promise<void>;
  /** The exit code, or null after a signal that killed it. */
  ended(): Promise<number | null>;
}

/** Starts on free ports by default, without the environment of this process. */
export function startOpentill(options: OpentillOptions): OpentillProcess {
  const { env, args = [], program, node = process.execPath } = options;
  const running = spawn(node, [program ?? builtProgram('server'), ...args], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      ...(program === undefined && builtProgramEnv()),
      OPENTILL_PORT: '0',
      OPENTILL_OPERATOR_PORT: '0',
      ...env,
    },
  });
  const output = outputOf(running);
  const end = once(running, 'close').then(([code]) => code as number | null);
  const kill = async (): Promise<void> => {
    running.kill('SIGKILL');
    await end;
  };
  return {
    pid: running.pid ?? Number.NaN,
    output,
    async ready() {
      const url = (name: string) => new RegExp(`${name} +(https?://[^/]+)/`).exec(output.stdout)?.[1];
      return await waitFor(
        () => {
          if (running.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
          const [publicUrl, operatorUrl] = [url('purchase API'), url('operator API')];
          // The welcome is complete when its final empty line has arrived.
          const isWhole = /documentation .*\n(?:.*\n)*\n/.test(output.stdout);
          return isWhole && publicUrl && operatorUrl ? { publicUrl, operatorUrl } : undefined;
        },
        { what: 'a server that says where it listens' },
      );
    },
    signal: (name) => void running.kill(name),
    kill,
    ended: () => end,
    [Symbol.asyncDispose]: kill,
  };
}

/** Runs a start that fails. */
export async function refusedStart(options: OpentillOptions) {
  await using server = startOpentill(options);
  const code = await server.ended();
  return { code, ...server.output };
}
