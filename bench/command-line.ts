// Runs the command line of this checkout, as an operator does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readPeakMemory } from './servers.ts';

const memoryPollMs = 20;

const program = fileURLToPath(new URL('../packages/cli/bin/opentill.cjs', import.meta.url));

export interface CommandRun {
  readonly seconds: number;
  readonly peakMib: number;
}

/** @throws if the command fails */
export async function runCommand(
  args: readonly string[],
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      OPENTILL_ENVIRONMENT: 'production',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  let peakMib = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakMib = (await readPeakMemory(child)) ?? peakMib;
    await Promise.race([exited, pause(memoryPollMs)]);
  }
  const seconds = (performance.now() - begun) / 1_000;
  if (child.exitCode !== 0) throw new Error(`opentill ${args.join(' ')} exited with ${child.exitCode}`);
  return { seconds, peakMib };
}
