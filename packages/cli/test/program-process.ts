// The real program in a process of its own, as a person starts it: a command line in, output and exit code out.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram, builtProgramEnv } from '../../server/test/built-programs.ts';
import { adminKey } from '../../server/test/harness.ts';
import { outputOf } from '../../server/test/process-output.ts';
import type { ServerAddress } from '../../server/test/start/opentill-process.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another program than the one that was built for the tests. */
  readonly program?: string;
  /** What it reads from its standard input, which then ends; without it nothing is there to read. */
  readonly input?: string;
  /** Another account than that of the tests. */
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined;
  /** Takes the standard output: the descriptor of an open file. */
  readonly stdout?: number;
  /** Given the running process, to send it signals. */
  readonly during?: (running: ReturnType<typeof spawn>) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs to its end, in nothing of this process's environment. */
export async function opentill(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, cwd = '/', program, input, stdout = 'pipe', runAs, during } = options;
  const running = spawn(process.execPath, [program ?? builtProgram('cli'), ...args], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...(program === undefined && builtProgramEnv()), ...env },
    stdio: ['pipe', stdout, 'pipe'],
    ...runAs,
  });
  const output = outputOf(running);
  // A program that ends without reading is no failure of this one.
  running.stdin?.on('error', () => undefined);
  if (during === undefined) running.stdin?.end(input ?? '');
  during?.(running);
  const [code] = (await once(running, 'close')) as [number | null];
  return { code, ...output };
}

/** What a command that speaks with this server has in its environment. */
export const serverEnv = ({ operatorUrl }: ServerAddress): Readonly<Record<string, string>> => ({
  OPENTILL_OPERATOR_KEY: adminKey,
  OPENTILL_OPERATOR_PORT: new URL(operatorUrl).port,
});
