// A command that works on a store itself, whether or not a server is running.

import type { SettingName } from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { environmentOf, withSettings } from '../setting-flags.ts';
import { Output } from '../terminal/output.ts';

/** The settings that select a store. */
export const storeSettings: readonly SettingName[] = [
  'OPENTILL_ENVIRONMENT',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'OPENTILL_DATA_DIR',
];

/** For commands that work in either environment. */
export const locationSettings = storeSettings.filter((name) => name !== 'OPENTILL_ENVIRONMENT');

export interface StoreCall<Options> {
  /** The environment, with the flags of the command. */
  readonly env: CommandContext['env'];
  readonly options: Options;
  readonly output: Output;
}

/** Adds the flags and the action of a command. */
export function worksOnStore<Options extends object>(
  command: Command,
  { context, settings }: { context: CommandContext; settings: readonly SettingName[] },
  work: (call: StoreCall<Options>, ...args: string[]) => Promise<void>,
): void {
  withSettings(command, settings).action(async (...received: unknown[]) => {
    // Commander passes the arguments, the options and the command itself.
    const args = received.slice(0, -2) as string[];
    const options = received.at(-2) as Options & { json?: boolean };
    const env = environmentOf(command, settings, context.env);
    await work({ env, options, output: new Output(context, options) }, ...args);
  });
}
