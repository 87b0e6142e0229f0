// The real program in a process of its own, as an operator starts it: settings in, output and exit code out.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram, builtProgramEnv } from '../built-programs.ts';
import { outputOf } from '../process-output.ts';
import { waitFor } from '../wait-for.ts';

/** A first start makes a database; on a machine that is busy with other tests that takes its time. */
const readyWithinMs = 50_000;

export interface OpentillOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Another program than the real one, which says the same as that when it is ready. */
  readonly program?: string;
  /** Another Node.js than the one of the test. */
  readonly node?: string;
}

/** Where a server listens. */
export interface ServerAddress {
  readonly publicUrl: string;
  readonly operatorUrl: string;
}

export interface OpentillProcess extends AsyncDisposable {
  /** What it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Where it listens, once it says so; fails when it ends before. */
  ready(): Promise<ServerAddress>;
  signal(name: NodeJS.Signals): void;
  /** As kill -9 does, and waits until nothing is left of it. */
  kill(): Promise<void>;
  /** The exit code, or null after a signal that killed it. */
  ended(): Promise<number | null>;
}

/** Starts on free ports, unless the settings say otherwise, and in nothing of this process's environment. */
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
    output,
    async ready() {
      const url = (name: string) => new RegExp(`${name} +(https?://[^/]+)/`).exec(output.stdout)?.[1];
      return await waitFor(
        () => {
          if (running.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
          const [publicUrl, operatorUrl] = [url('purchase API'), url('operator API')];
          // The welcome ends with an empty line: all of it is there.
          const isWhole = /documentation .*\n(?:.*\n)*\n/.test(output.stdout);
          return isWhole && publicUrl && operatorUrl ? { publicUrl, operatorUrl } : undefined;
        },
        { deadlineMs: readyWithinMs, what: 'a server that says where it listens' },
      );
    },
    signal: (name) => void running.kill(name),
    kill,
    ended: () => end,
    [Symbol.asyncDispose]: kill,
  };
}

export interface Refusal {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A start that ends by itself. */
export async function refusedStart(options: OpentillOptions): Promise<Refusal> {
  await using server = startOpentill(options);
  const code = await server.ended();
  return { code, ...server.output };
}
