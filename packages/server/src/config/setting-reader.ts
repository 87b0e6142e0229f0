// Reads settings from the environment and collects their problems.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { closestMatch } from 'leven';
import { StartProblem } from '../runtime/start-problem.ts';
import {
  commandVariables,
  execVariable,
  type SettingName,
  settingNames,
  settingOf,
  settings,
  type switchChoices,
} from './settings.ts';

type Settings = typeof settings;
type NameWith<Part> = { [Name in SettingName]: Settings[Name] extends Part ? Name : never }[SettingName];
type UnlessSet<Name extends SettingName> = Settings[Name] extends { readonly default: string }
  ? never
  : undefined;

/** Settings with a secret: each can be set as a file with its value instead. */
type SecretName = {
  [Name in SettingName]: Name extends `${infer Secret}_FILE` ? Secret : never;
}[SettingName] &
  SettingName;

const loopback = '127.0.0.1';

const knownNames: readonly string[] = [...settingNames, ...commandVariables];

/** A name with more different letters than this is no typo. */
const typoLettersMax = 3;

const insideExec =
  'Commands that open a database by themselves do not run inside opentill exec, whose sandbox is reached by the operator API alone: run them outside.';

/**
 * Collects all problems instead of stopping at the first.
 * @throws StartProblem inside `opentill exec`, where the settings name another store than the sandbox.
 */
export class SettingReader {
  readonly problems: string[] = [];
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    if (env[execVariable] !== undefined) throw new StartProblem(insideExec);
    for (const name of Object.keys(env)) {
      if (!name.startsWith('OPENTILL_') || knownNames.includes(name)) continue;
      const nearest = closestMatch(name, knownNames, { maxDistance: typoLettersMax });
      const hint = nearest === undefined ? 'opentill serve --help lists all.' : `Did you mean ${nearest}?`;
      this.problems.push(`${name} is not a setting. ${hint}`);
    }
  }

  /** Whether a problem names the setting, or its file: then it is not also missing. */
  isReported(name: SecretName): boolean {
    return this.problems.some((problem) => problem.startsWith(name));
  }

  text<Name extends SettingName>(name: Name): string | UnlessSet<Name> {
    const value = this.#env[name] || settingOf(name).default;
    return value as string | UnlessSet<Name>;
  }

  /** The value of the variable, or of the file that its other form names. */
  secret(name: SecretName): string | undefined {
    const text = this.text(name);
    const fileName = `${name}_FILE` as const;
    const path = this.text(fileName);
    if (path === undefined) return text;
    if (text !== undefined) {
      this.problems.push(`${name}, ${fileName}: expected one of them, got both.`);
      return text;
    }
    try {
      const content = readFileSync(path, 'utf8').trim();
      if (content !== '') return content;
      this.problems.push(`${fileName}: the file ${path} is empty.`);
    } catch (error) {
      this.problems.push(`${fileName}: ${(error as Error).message}.`);
    }
    return undefined;
  }

  choice<Name extends NameWith<{ readonly choices: readonly string[] }>>(
    name: Name,
  ): Settings[Name]['choices'][number] | UnlessSet<Name> {
    const text = this.text(name);
    if (text === undefined) return undefined as UnlessSet<Name>;
    const { choices } = settings[name];
    if (choices.some((candidate) => candidate === text)) return text as Settings[Name]['choices'][number];
    return this.#reject(name, `one of ${choices.join(', ')}`, choices[0]);
  }

  isOn(name: NameWith<{ readonly choices: typeof switchChoices }>): boolean {
    return this.choice(name) === 'true';
  }

  integer<Name extends NameWith<{ readonly range: object }>>(name: Name): number | UnlessSet<Name> {
    const text = this.text(name);
    if (text === undefined) return undefined as UnlessSet<Name>;
    const { min, max } = settings[name].range;
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : this.#reject(name, `a whole number from ${min} to ${max}`, min);
  }

  host(name: 'OPENTILL_HOST' | 'OPENTILL_OPERATOR_HOST'): string {
    const text = this.text(name);
    return isIP(text) !== 0 || text === 'localhost'
      ? text
      : this.#reject(name, 'an IP address or localhost', loopback);
  }

  /** Returns `fallback`, so that the other settings can be checked as well. */
  #reject<Value>(name: SettingName, expected: string, fallback: Value): Value {
    this.problems.push(`${name}: expected ${expected}, got "${this.text(name) ?? ''}".`);
    return fallback;
  }
}
