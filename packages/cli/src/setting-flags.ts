// Settings as flags of a command: each is named after its variable and takes precedence over it.

import { type SettingName, settings } from '@opentill/server/settings.ts';
import { type Command, Option } from 'commander';
import { settingMeanings } from './setting-meanings.ts';

/** `OPENTILL_OPERATOR_PORT` is `--operator-port`, `DATABASE_URL` `--database-url`. */
function flagOf(name: SettingName): string {
  return `--${name
    .replace(/^OPENTILL_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}

export const allSettings = Object.keys(settings) as SettingName[];

/** Adds a flag for each setting, with the same values as its variable. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const byDefault = settings[name];
    const isSwitch = byDefault === 'true' || byDefault === 'false';
    // A switch without a value means `true`.
    const option = new Option(`${flagOf(name)} ${isSwitch ? '[boolean]' : '<value>'}`);
    option.description = `${settingMeanings[name]} (${name}; default: ${byDefault ?? 'none'})`;
    command.addOption(option);
  }
  return command;
}

/** Returns the environment with the given flags in place of their variables. */
export function environmentOf(
  command: Command,
  names: readonly SettingName[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const values = command.opts<Readonly<Record<string, unknown>>>();
  const given = command.options.flatMap((option): (readonly [string, string])[] => {
    const name = names.find((candidate) => flagOf(candidate) === option.long);
    const value = values[option.attributeName()];
    return name === undefined || value === undefined ? [] : [[name, String(value)]];
  });
  return { ...env, ...Object.fromEntries(given) };
}
