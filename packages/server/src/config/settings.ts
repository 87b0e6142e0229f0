// Every setting: a variable with its values, its default and its meaning. The reader of the variables, the flags of the
// command line and docs/settings.md come from this table.

import type { PriceUnit } from '@opentill/contract/fields.ts';
import { chargeDaysMax, chargeRetriesMax } from '@opentill/contract/limits.ts';
import type { LogLevel } from '../runtime/log.ts';

export interface Setting {
  /** As it would be written in the environment. */
  readonly default?: string;
  /** The words for a default that depends on other settings. */
  readonly unset?: string;
  readonly choices?: readonly string[];
  /** The value is a whole number. */
  readonly range?: { readonly min: number; readonly max: number };
  /** The only environment that uses the setting. */
  readonly only?: 'production';
  /** A line for --help, to which the choices and the range are added. */
  readonly meaning: string;
  /** The addition in docs/settings.md, in Markdown. */
  readonly details?: string;
}

/** The choices of a switch. */
export const switchChoices = ['true', 'false'] as const;

const port = { min: 0, max: 65_535 } as const;
const file = <Name extends string>(name: Name) => ({ meaning: `file with the value of ${name}` }) as const;

export const settings = {
  OPENTILL_ENVIRONMENT: {
    default: 'sandbox',
    choices: ['sandbox', 'production'],
    meaning: 'the environment',
    details: 'A database belongs permanently to one of them',
  },
  OPENTILL_HOST: {
    default: '127.0.0.1',
    meaning: 'address of the public listener: an IP address or localhost',
  },
  OPENTILL_PORT: {
    default: '8080',
    range: port,
    meaning: 'port of the public listener (0: a free one)',
  },
  OPENTILL_OPERATOR_HOST: {
    default: '127.0.0.1',
    meaning: 'address of the operator listener: an IP address or localhost',
  },
  OPENTILL_OPERATOR_PORT: {
    default: '8081',
    range: port,
    meaning: 'port of the operator listener (0: a free one)',
  },
  OPENTILL_OPERATOR_HOSTS: {
    meaning:
      'comma-separated names of the operator listener without ports, in addition to localhost and IP addresses',
    details: 'Example: `till.internal`. Requests with another `Host` get 421, except for `/health/*`',
  },
  OPENTILL_JOBS: {
    default: 'on',
    choices: ['on', 'off'],
    meaning: 'whether the server charges, delivers and cleans up, in addition to serving requests',
    details: '`off` is for a copy of a store that must do nothing by itself',
  },
  DATABASE_URL: {
    meaning: 'URL of a PostgreSQL database, instead of the bundled one',
    details:
      '`postgresql://user:password@host:port/database`, PostgreSQL 15 or later, a database with encoding UTF8',
  },
  DATABASE_URL_FILE: file('DATABASE_URL'),
  /** The bundled PostgreSQL needs some connections for its server, for commands and for psql. */
  OPENTILL_POOL_SIZE: {
    default: '10',
    range: { min: 2, max: 200 },
    meaning: 'maximum number of database connections of each server',
    details: 'With the bundled PostgreSQL up to 90',
  },
  OPENTILL_DATA_DIR: {
    default: '.opentill',
    meaning: 'the data folder: the bundled PostgreSQL, and secrets created at the first start',
  },
  OPENTILL_OPERATOR_KEYS: {
    meaning: 'operator keys, as name:role:key',
    details:
      'Comma-separated. The roles are `record`, `read`, `support` and `admin` ([deployment.md](deployment.md#what-production-needs)). A key has at least 32 ASCII characters, without spaces and not all the same. With the bundled PostgreSQL the first start creates the key `admin` in `operator.key`',
  },
  OPENTILL_OPERATOR_KEYS_FILE: file('OPENTILL_OPERATOR_KEYS'),
  OPENTILL_TOKEN_KEYS: {
    meaning: 'keys that sign tokens, as id:secret',
    details:
      'Comma-separated; the first signs, all verify. An id is a number from 0 to 255, a secret at least 32 bytes in base64url. With the bundled PostgreSQL they are created at the first start, in `token.keys`',
  },
  OPENTILL_TOKEN_KEYS_FILE: file('OPENTILL_TOKEN_KEYS'),
  OPENTILL_TLS_CERT: { meaning: 'file of the TLS certificate of both listeners (PEM)' },
  OPENTILL_TLS_KEY: { meaning: 'file of the TLS private key (PEM)' },
  OPENTILL_TRUSTED_PROXIES: {
    meaning: 'comma-separated addresses of the proxies that terminate TLS: loopback,10.1.0.7,10.2.0.0/16',
    details:
      "The last entry of their `X-Forwarded-For` is the client's address; that of any other peer is ignored, and the first time logged",
  },
  OPENTILL_REQUIRE_CONTENT_TYPE: {
    default: 'true',
    choices: switchChoices,
    meaning: 'whether purchase calls need a Content-Type',
    details: '`false` accepts calls without `Content-Type: application/json`',
  },
  OPENTILL_RATE_LIMIT: {
    range: { min: 1, max: 1_000_000 },
    meaning: 'requests per second for each app',
    details:
      'Counted by access tokens, by each server; further requests get 429. The token endpoint is not counted',
  },
  OPENTILL_DEVELOPER_API: {
    default: 'off',
    choices: ['off', 'read', 'full'],
    only: 'production',
    meaning: 'what developers may do for themselves with an access token of their app',
    details:
      '`read` lets them read, `full` also change their secrets and webhook ([developer-api.md](developer-api.md)). A sandbox has all of it',
  },
  OPENTILL_TIME_ZONE: {
    default: 'UTC',
    meaning: "the store's time zone, in which the periods of new subscriptions are counted",
    details:
      'Examples: `Europe/Berlin`, `+09:00`. Subscriptions keep the zone in which they began, and statistics that of their first day. Times without `Z` or offset on the command line are in it',
  },
  OPENTILL_PRICE_UNIT: {
    default: 'minor',
    choices: ['minor', 'major'] satisfies readonly PriceUnit[],
    meaning: 'the unit of all prices of the store',
    details:
      'With `minor` 1299 EUR is €12.99, with `major` €1,299. It decides how the console shows prices, and nothing is converted',
  },
  OPENTILL_PAYMENT_GATEWAY_URL: {
    only: 'production',
    meaning: 'URL that receives the charge for each period',
    details:
      '`https`, or `http` on loopback ([payment-gateway.md](payment-gateway.md)). Without it no subscriptions are sold',
  },
  OPENTILL_PAYMENT_GATEWAY_SECRET: {
    only: 'production',
    meaning: 'key that signs charges',
    details: '`whsec_` and 24 to 64 bytes in base64',
  },
  OPENTILL_PAYMENT_GATEWAY_SECRET_FILE: file('OPENTILL_PAYMENT_GATEWAY_SECRET'),
  OPENTILL_CHARGE_RETRIES: {
    default: '1h,6h,1d,2d',
    meaning: 'when a declined charge is retried, after its payment fell due',
    details: `Up to ${chargeRetriesMax} ascending entries in hours or days, each at most ${chargeDaysMax}d ([payment-gateway.md](payment-gateway.md#declined-charges))`,
  },
  OPENTILL_WEBHOOK_ALLOW: {
    meaning: 'comma-separated non-public addresses that may receive webhooks: 10.1.0.0/16,fd00::/8',
    details:
      'The word `loopback` allows this machine, in the sandbox with a public listener on loopback and without a proxy; the demo allows it as well. Link-local addresses are never allowed ([webhooks.md](webhooks.md))',
  },
  /** The minimum is longer than the time for which a webhook delivery is retried. */
  OPENTILL_RETENTION_DAYS: {
    unset: '180 in production, 30 in the sandbox',
    range: { min: 4, max: 3_650 },
    meaning: 'days for which events are kept',
    details:
      'Days of real time; the same for all servers of a database. In production, events stay until their month has closed ([statements.md](statements.md)): up to 40 days',
  },
  OPENTILL_LOG_LEVEL: {
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] satisfies readonly LogLevel[],
    meaning: 'the least severe log lines to write',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** Variables of the command line, which a server ignores. */
export const commandVariables = [
  'OPENTILL_OPERATOR_KEY',
  'OPENTILL_OPERATOR_KEY_FILE',
  'OPENTILL_OPERATOR_URL',
  'OPENTILL_CA',
] as const;

/** Set by `opentill exec` for its command. */
export const execVariable = 'OPENTILL_EXEC';

export const settingOf = (name: SettingName): Setting => settings[name];

/** The meaning with the possible values; `mark` formats a value. */
export function fullMeaning(name: SettingName, mark = (value: string) => value): string {
  const { meaning, choices, range, only } = settingOf(name);
  const isNamed = choices !== undefined && choices !== switchChoices;
  const values = isNamed
    ? `: ${choices
        .map(mark)
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' or ')}`
    : '';
  const limits = range === undefined ? '' : `, from ${range.min} to ${range.max}`;
  const place = only && `, in ${only}`;
  return [meaning, values, limits, place].join('');
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
