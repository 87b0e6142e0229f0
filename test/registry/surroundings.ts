// The machine of a reader: Node.js and npm, an empty folder, and a registry.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf, type ProcessOutput } from '../support/process-output.ts';
import type { LocalRegistry } from './local-registry.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Env = Readonly<Record<string, string | undefined>>;

/** The variables of this process without those of npm, which would apply to the npm of the reader, too. */
export function withoutNpm(): Env {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD)/i.test(name)),
  );
}

const machinePath = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.startsWith(root));

export const machineEnv: Env = { PATH: machinePath.join(delimiter) };

/** An own home with an empty cache of npm, and the Node.js that runs this. */
export async function readerEnv({ npmSettings }: LocalRegistry, home: string): Promise<Env> {
  await mkdir(home);
  return {
    PATH: [dirname(process.execPath), ...machinePath].join(delimiter),
    HOME: home,
    npm_config_userconfig: npmSettings,
    npm_config_cache: join(home, 'cache'),
  };
}

export interface Ended extends ProcessOutput {
  readonly code: number;
}

/** Runs a program to its end, whatever its exit code is. */
export function runToEnd(command: readonly string[], cwd: string, env: Env): Promise<Ended> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, maxBuffer: 100_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs a program that has to succeed, and returns its standard output. */
export async function succeed(command: readonly string[], cwd: string, env: Env): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(command, cwd, env);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

export interface Background extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly output: ProcessOutput;
}

/** Runs a program until it is disposed, as one group with all processes that it starts. */
export function inBackground(command: readonly string[], cwd: string, env: Env): Background {
  const [file = '', ...args] = command;
  const started = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(started, 'close');
  return {
    process: started,
    output: outputOf(started),
    async [Symbol.asyncDispose]() {
      try {
        process.kill(-(started.pid ?? 0), 'SIGTERM');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      await ended;
    },
  };
}
