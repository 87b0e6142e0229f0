// Settings as flags of a command: each is named after its variable and takes precedence over it.

import {
  fullMeaning,
  type SettingName,
  settingNames,
  settingOf,
  switchChoices,
} from '@opentill/server/for-command-line.ts';
import { type Command, Option } from 'commander';

/** `OPENTILL_OPERATOR_PORT` is `--operator-port`, `DATABASE_URL` `--database-url`. */
function flagOf(name: SettingName): string {
  return `--${name
    .replace(/^OPENTILL_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}

/** Adds a flag for each setting, with the same values as its variable. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { choices, default: byDefault, unset = 'none' } = settingOf(name);
    // A switch without a value means `true`.
    const value = choices === switchChoices ? '[boolean]' : '<value>';
    const isSecret = settingNames.some((other) => other === `${name}_FILE`);
    const advice = isSecret ? '; prefer the variable, because other accounts can see arguments' : '';
    const meaning = `${fullMeaning(name)}${advice} (${name}; default: ${byDefault ?? unset})`;
    command.addOption(new Option(`${flagOf(name)} ${value}`, meaning));
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
