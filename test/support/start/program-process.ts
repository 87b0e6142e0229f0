// Runs the real program, in a process of its own or in that of the tests, and returns its output and exit code.

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../../packages/cli/src/main.ts';
import { builtProgram, builtProgramEnv } from '../built-programs.ts';
import { adminKey } from '../harness.ts';
import { outputOf } from '../process-output.ts';
import type { ServerAddress } from './opentill-process.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The standard input, which is empty by default. */
  readonly input?: string;
  /** Called with the running process, for example to send it signals. */
  readonly during?: (running: ReturnType<typeof spawn>) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end, without the environment of this process. */
export async function opentill(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, cwd = '/', input, during } = options;
  const running = spawn(process.execPath, [builtProgram('cli'), ...args], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...builtProgramEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = outputOf(running);
  // A program may end without reading its input.
  running.stdin?.on('error', () => undefined);
  if (during === undefined) running.stdin?.end(input ?? '');
  during?.(running);
  const [code] = (await once(running, 'close')) as [number | null];
  return { code, ...output };
}

/** Runs the program to its end in this process, which takes a tenth of the time of a process of its own. */
export async function opentillHere(
  args: readonly string[],
  { env = {}, input = '' }: Pick<RunOptions, 'env' | 'input'> = {},
): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = outputOf({ stdout, stderr });
  const own = Object.assign(new EventEmitter(), {
    argv: ['node', 'opentill', ...args],
    env,
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    exitCode: 0,
    exit(code: number): never {
      throw new Error(`The program ends its process with ${code}.`);
    },
  });
  await main(own as unknown as Parameters<typeof main>[0]);
  for (const stream of [stdout, stderr]) stream.end();
  await Promise.all([stdout, stderr].map((stream) => stream.readableEnded || once(stream, 'end')));
  return { code: own.exitCode, ...output };
}

/** The environment of a command that calls this server. */
export const serverEnv = ({ operatorUrl }: ServerAddress): Readonly<Record<string, string>> => ({
  OPENTILL_OPERATOR_KEY: adminKey,
  OPENTILL_OPERATOR_PORT: new URL(operatorUrl).port,
});
