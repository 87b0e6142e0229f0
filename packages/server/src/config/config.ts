// Turns environment variables into a typed, cross-checked configuration and reports all problems at once.

import { resolve } from 'node:path';
import type { PriceUnit } from '@opentill/contract/fields.ts';
import { chargeDaysMax, chargeRetriesMax } from '@opentill/contract/limits.ts';
import { type AddressRange, parseRange } from '../domain/address-range.ts';
import type { Environment } from '../domain/identifiers.ts';
import { expectedTimeZone, isTimeZone } from '../domain/subscriptions/calendar-period.ts';
import { type ChargeRetries, parseChargeRetries } from '../domain/subscriptions/charge-times.ts';
import { parseAllowedAddresses, type WebhookRules } from '../domain/webhooks/webhook-address.ts';
import { connectionsMax } from '../embedded/postgres-settings.ts';
import type { LogLevel } from '../runtime/log.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { type DatabaseSettings, readDatabaseSettings } from './database-url.ts';
import { readSecretSettings, type SecretSettings } from './secret-settings.ts';
import { SettingReader } from './setting-reader.ts';
import { isLoopback } from './settings.ts';

export interface Config extends SecretSettings, DatabaseSettings {
  readonly environment: Environment;
  readonly publicAddress: { readonly host: string; readonly port: number };
  readonly operatorAddress: { readonly host: string; readonly port: number };
  /** Names of the operator listener, in addition to localhost and IP addresses; undefined: not set. */
  readonly operatorHosts: readonly string[] | undefined;
  /** Whether this server charges, delivers and cleans up, in addition to serving requests. */
  readonly runsJobs: boolean;
  readonly databasePoolSize: number;
  readonly dataFolder: string;
  readonly tlsFiles: { readonly cert: string; readonly key: string } | undefined;
  /** The proxies that terminate TLS and whose X-Forwarded-For names the client; undefined: none. */
  readonly trustedProxies: readonly AddressRange[] | undefined;
  readonly requiresContentType: boolean;
  /** Requests per second and app; undefined: no limit. */
  readonly callsPerSecondMax: number | undefined;
  /** The part of the developer API that the public listener serves; in the sandbox all of it. */
  readonly developerAccess: 'off' | 'read' | 'full';
  readonly timeZone: string;
  readonly priceUnit: PriceUnit;
  /** Days after its due time in which a charge may begin. */
  readonly chargeRetries: ChargeRetries;
  /** Where webhooks may go. */
  readonly webhookRules: WebhookRules;
  /** Days of real time for which events are kept. */
  readonly retentionDays: number;
  /** Whether the first start creates the demo app. */
  readonly makesDemo: boolean;
  readonly logLevel: LogLevel;
}

/** The name of the key that the first start with the bundled PostgreSQL creates. */
export const adminKeyName = 'admin';

/** The bundled PostgreSQL needs some connections for its server, for commands and for psql. */
const bundledPoolMax = connectionsMax - 10;
const retentionDays = { production: 180, sandbox: 30 } as const;

export type Environ = Readonly<Record<string, string | undefined>>;

/** Which store to use and where it is: all that a command needs that is not a server. */
export type StoreConfig = Pick<Config, 'environment' | 'dataFolder'> & DatabaseSettings;

function readStore(reader: SettingReader, env: Environ): StoreConfig {
  return {
    ...readDatabaseSettings(reader, env['PGHOST']),
    environment: reader.choice('OPENTILL_ENVIRONMENT'),
    dataFolder: resolve(reader.text('OPENTILL_DATA_DIR')),
  };
}

/** The zone of new subscriptions, for a command that brings some. */
export function readStoreTimeZone(env: Environ): string {
  const reader = new SettingReader(env);
  const timeZone = readTimeZone(reader);
  if (reader.problems.length > 0) throw new StartProblem(reader.problems.join('\n'));
  return timeZone;
}

/** The zone and the schedule of charges, for a command that foresees them. */
export function readChargeSettings(env: Environ): Pick<Config, 'timeZone' | 'chargeRetries'> {
  const reader = new SettingReader(env);
  const settings = { timeZone: readTimeZone(reader), chargeRetries: readChargeRetries(reader) };
  if (reader.problems.length > 0) throw new StartProblem(reader.problems.join('\n'));
  return settings;
}

/** Like readConfig for the store alone: secrets and listeners may be missing. */
export function readStoreConfig(env: Environ): StoreConfig {
  const reader = new SettingReader(env);
  const config = readStore(reader, env);
  if (reader.problems.length > 0) throw new StartProblem(reader.problems.join('\n'));
  return config;
}

/**
 * Reads the settings. `wantsDemo`: the flag --demo, which means nothing in production.
 * @throws StartProblem that names every problem, a line each.
 */
export function readConfig(env: Environ, { wantsDemo = false } = {}): Config {
  const reader = new SettingReader(env);
  const store = readStore(reader, env);
  const publicHost = reader.host('OPENTILL_HOST');
  const developerAccess = reader.choice('OPENTILL_DEVELOPER_API');
  const trustedProxies = readTrustedProxies(reader);
  const makesDemo = wantsDemo && store.environment === 'sandbox';
  // Every client is on this machine then.
  const isPrivate = store.environment === 'sandbox' && isLoopback(publicHost) && trustedProxies === undefined;
  const config: Config = {
    ...store,
    ...readSecretSettings(reader),
    publicAddress: { host: publicHost, port: reader.integer('OPENTILL_PORT') },
    operatorAddress: {
      host: reader.host('OPENTILL_OPERATOR_HOST'),
      port: reader.integer('OPENTILL_OPERATOR_PORT'),
    },
    operatorHosts: readOperatorHosts(reader),
    runsJobs: reader.choice('OPENTILL_JOBS') === 'on',
    databasePoolSize: reader.integer('OPENTILL_POOL_SIZE'),
    tlsFiles: readTlsFiles(reader),
    trustedProxies,
    requiresContentType: reader.isOn('OPENTILL_REQUIRE_CONTENT_TYPE'),
    callsPerSecondMax: reader.integer('OPENTILL_RATE_LIMIT'),
    developerAccess: store.environment === 'sandbox' ? 'full' : developerAccess,
    timeZone: readTimeZone(reader),
    priceUnit: reader.choice('OPENTILL_PRICE_UNIT'),
    chargeRetries: readChargeRetries(reader),
    webhookRules: {
      allowsHttp: store.environment === 'sandbox',
      ...readWebhookAllow(reader, { isPrivate, makesDemo }),
    },
    retentionDays: reader.integer('OPENTILL_RETENTION_DAYS') ?? retentionDays[store.environment],
    makesDemo,
    logLevel: reader.choice('OPENTILL_LOG_LEVEL'),
  };
  crossCheck(config, reader);
  if (reader.problems.length > 0) throw new StartProblem(reader.problems.join('\n'));
  return config;
}

function readChargeRetries(reader: SettingReader): ChargeRetries {
  const text = reader.text('OPENTILL_CHARGE_RETRIES');
  const retries = parseChargeRetries(text);
  if (retries !== undefined) return retries;
  reader.problems.push(
    `OPENTILL_CHARGE_RETRIES: expected up to ${chargeRetriesMax} ascending times up to ${chargeDaysMax}d such as 1h,6h,1d,2d, got "${text}".`,
  );
  return [];
}

function readOperatorHosts(reader: SettingReader): Config['operatorHosts'] {
  const text = reader.text('OPENTILL_OPERATOR_HOSTS');
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (names.every((name) => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name))) return names;
  reader.problems.push(
    `OPENTILL_OPERATOR_HOSTS: expected comma-separated host names without ports, got "${text}".`,
  );
  return [];
}

function readTlsFiles(reader: SettingReader): Config['tlsFiles'] {
  const cert = reader.text('OPENTILL_TLS_CERT');
  const key = reader.text('OPENTILL_TLS_KEY');
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined) {
    reader.problems.push('OPENTILL_TLS_CERT and OPENTILL_TLS_KEY: expected both files or neither.');
  }
  return undefined;
}

function readTimeZone(reader: SettingReader): string {
  const text = reader.text('OPENTILL_TIME_ZONE');
  if (!isTimeZone(text)) {
    reader.problems.push(`OPENTILL_TIME_ZONE: ${expectedTimeZone}, got "${text}".`);
  }
  return text;
}

/** Names and keys are unique, because a change records the name of its key and a key has one role. */
function crossCheckKeys({ operatorKeys, databaseUrl }: Config, problems: string[]): void {
  const names = operatorKeys.map(({ name }) => name);
  if (databaseUrl === undefined && names.includes(adminKeyName)) {
    problems.push(
      `OPENTILL_OPERATOR_KEYS: expected another name than ${adminKeyName}, which is that of the key in operator.key.`,
    );
  }
  if (new Set(names).size < names.length || new Set(operatorKeys.map(({ key }) => key)).size < names.length) {
    problems.push('OPENTILL_OPERATOR_KEYS: expected each name and each key once.');
  }
}

/** A developer chooses the URL of a webhook, so only a sandbox whose clients are all on this machine may call it. */
function readWebhookAllow(
  reader: SettingReader,
  { isPrivate, makesDemo }: { readonly isPrivate: boolean; readonly makesDemo: boolean },
): Omit<WebhookRules, 'allowsHttp'> {
  const allowed = parseAllowedAddresses(reader.text('OPENTILL_WEBHOOK_ALLOW') ?? '');
  if ('problem' in allowed) {
    reader.problems.push(`OPENTILL_WEBHOOK_ALLOW: ${allowed.problem}.`);
    return { allowedRanges: [], allowsLoopback: false };
  }
  if (allowed.allowsLoopback && !isPrivate) {
    reader.problems.push(
      'OPENTILL_WEBHOOK_ALLOW: expected no loopback in production, with a public listener outside loopback, or behind a proxy.',
    );
  }
  return { ...allowed, allowsLoopback: allowed.allowsLoopback || (isPrivate && makesDemo) };
}

function readTrustedProxies(reader: SettingReader): Config['trustedProxies'] {
  const entries = reader.text('OPENTILL_TRUSTED_PROXIES')?.split(',');
  return entries
    ?.flatMap((entry) => (entry.trim() === 'loopback' ? ['127.0.0.0/8', '::1'] : [entry.trim()]))
    .flatMap((entry) => {
      const range = parseRange(entry);
      if (range !== undefined) return [range];
      reader.problems.push(
        `OPENTILL_TRUSTED_PROXIES: expected loopback, addresses and ranges such as 10.1.0.0/16, comma-separated, got "${entry}".`,
      );
      return [];
    });
}

function crossCheck(config: Config, reader: SettingReader): void {
  const { problems } = reader;
  const isOpen = ({ host }: { host: string }) => !isLoopback(host);
  const isProtected = config.tlsFiles !== undefined || config.trustedProxies !== undefined;
  if (!isProtected && (isOpen(config.publicAddress) || isOpen(config.operatorAddress))) {
    problems.push(
      'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_TRUSTED_PROXIES if TLS ends in front of it (the word loopback trusts no other machine).',
    );
  }
  if (config.paymentGateway !== undefined && config.environment === 'sandbox') {
    problems.push('OPENTILL_PAYMENT_GATEWAY_URL: expected none in the sandbox, which charges nobody.');
  }
  if (config.databaseUrl === undefined && reader.isReported('DATABASE_URL')) return;
  crossCheckKeys(config, problems);
  if (config.databaseUrl === undefined) {
    crossCheckBundled(config, problems);
    return;
  }
  if (config.tokenKeys === undefined && !reader.isReported('OPENTILL_TOKEN_KEYS')) {
    problems.push(
      'OPENTILL_TOKEN_KEYS: required with DATABASE_URL, the same for all servers (id:base64url).',
    );
  }
  if (config.operatorKeys.length === 0 && !reader.isReported('OPENTILL_OPERATOR_KEYS')) {
    problems.push('OPENTILL_OPERATOR_KEYS: required with DATABASE_URL (name:role:key).');
  }
}

function crossCheckBundled({ databasePoolSize }: Config, problems: string[]): void {
  if (databasePoolSize <= bundledPoolMax) return;
  problems.push(
    `OPENTILL_POOL_SIZE: expected at most ${bundledPoolMax} connections with the bundled PostgreSQL, got "${databasePoolSize}".`,
  );
}
