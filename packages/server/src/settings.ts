// The environment variables of a server with their defaults, and a reader for their values. docs/settings.md is the
// same table in words; a test compares the two.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** Every variable with its default, as it would be written in the environment. */
export const settings = {
  OPENTILL_ENVIRONMENT: 'sandbox',
  OPENTILL_HOST: '127.0.0.1',
  OPENTILL_PORT: '8080',
  OPENTILL_OPERATOR_HOST: '127.0.0.1',
  OPENTILL_OPERATOR_PORT: '8081',
  OPENTILL_OPERATOR_HOSTS: undefined,
  OPENTILL_MAX_CONNECTIONS: '10000',
  OPENTILL_WORKERS: '1',
  OPENTILL_JOBS: 'on',
  DATABASE_URL: undefined,
  DATABASE_URL_FILE: undefined,
  OPENTILL_DATABASE_PLAINTEXT: 'false',
  OPENTILL_POOL_SIZE: '10',
  OPENTILL_DATA_DIR: '.opentill',
  OPENTILL_OPERATOR_KEY: undefined,
  OPENTILL_OPERATOR_KEY_FILE: undefined,
  OPENTILL_OPERATOR_KEYS: undefined,
  OPENTILL_OPERATOR_KEYS_FILE: undefined,
  OPENTILL_TOKEN_KEYS: undefined,
  OPENTILL_TOKEN_KEYS_FILE: undefined,
  OPENTILL_TOKEN_LIFETIME: '3600',
  OPENTILL_TLS_CERT: undefined,
  OPENTILL_TLS_KEY: undefined,
  OPENTILL_BEHIND_TLS_PROXY: 'false',
  OPENTILL_TRUSTED_PROXIES: undefined,
  OPENTILL_REQUIRE_CONTENT_TYPE: 'true',
  OPENTILL_RATE_LIMIT: undefined,
  OPENTILL_TIME_ZONE: 'UTC',
  OPENTILL_PAYMENT_GATEWAY_URL: undefined,
  OPENTILL_PAYMENT_GATEWAY_SECRET: undefined,
  OPENTILL_PAYMENT_GATEWAY_SECRET_FILE: undefined,
  OPENTILL_RENEWAL_GRACE_DAYS: '16',
  OPENTILL_WEBHOOK_ALLOW: undefined,
  OPENTILL_WEBHOOK_LOOPBACK: undefined,
  OPENTILL_SANDBOX_PURCHASES_PER_APP: undefined,
  OPENTILL_SANDBOX_TEST_WEBHOOKS_PER_MINUTE: '60',
  OPENTILL_RETENTION_DAYS: undefined,
  OPENTILL_DEMO: 'false',
  OPENTILL_CONSOLE: 'true',
  OPENTILL_LOG_FORMAT: undefined,
  OPENTILL_LOG_LEVEL: 'info',
} as const satisfies Record<string, string | undefined>;

export type SettingName = keyof typeof settings;

/** Settings with a secret: each can be set as a file with its value instead. */
type SecretName = {
  [Name in SettingName]: Name extends `${infer Secret}_FILE` ? Secret : never;
}[SettingName] &
  SettingName;

/** Replaces the file of each secret by its value; a file that cannot be used stays, for the reader to report. */
export function withSecretValues(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const reader = new SettingReader(env);
  const values: Record<string, string | undefined> = {};
  for (const fileName of Object.keys(settings) as SettingName[]) {
    if (!fileName.endsWith('_FILE') || reader.text(fileName) === undefined) continue;
    const name = fileName.replace(/_FILE$/, '') as SecretName;
    const problems = reader.problems.length;
    const value = reader.secret(name);
    if (reader.problems.length === problems) Object.assign(values, { [name]: value, [fileName]: undefined });
  }
  return { ...env, ...values };
}

const loopback = '127.0.0.1';

/** Collects all problems instead of stopping at the first. */
export class SettingReader {
  readonly problems: string[] = [];
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    for (const name of Object.keys(env)) {
      if (name.startsWith('OPENTILL_') && !(name in settings)) {
        const known = Object.keys(settings).join(', ');
        this.problems.push(`${name} is not a setting. The settings are: ${known}.`);
      }
    }
  }

  text(name: SettingName): string | undefined {
    const value = this.#env[name];
    return value === undefined || value === '' ? settings[name] : value;
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

  oneOf<Value extends string>(name: SettingName, values: readonly Value[]): Value {
    const text = this.text(name);
    const value = values.find((candidate) => candidate === text);
    return value ?? this.#reject(name, `one of ${values.join(', ')}`, values[0] as Value);
  }

  boolean(name: SettingName): boolean {
    return this.oneOf(name, ['true', 'false']) === 'true';
  }

  integer(name: SettingName, min: number, max: number): number {
    const text = this.text(name) ?? '';
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : this.#reject(name, `a whole number from ${min} to ${max}`, min);
  }

  optionalInteger(name: SettingName, min: number, max: number): number | undefined {
    return this.text(name) === undefined ? undefined : this.integer(name, min, max);
  }

  host(name: SettingName): string {
    const text = this.text(name) ?? '';
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

/** Whether only this machine can reach the host of an address or a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:127\.[\d.]+|\[?::1\]?|localhost)$/.test(host);
}

interface ListenerPlace {
  readonly protocol: 'http' | 'https';
  /** Without the brackets of an IPv6 URL. */
  readonly host: string;
  readonly port: number | string;
}

export function listenerUrl({ protocol, host, port }: ListenerPlace): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
