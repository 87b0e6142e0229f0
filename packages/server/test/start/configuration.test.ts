// The settings: valid values, and the messages for all invalid ones at once, one line each, without secrets.

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { settings } from '../../src/config/settings.ts';
import { problemsOf } from './setting-problems.ts';

const key = Buffer.alloc(32, 1).toString('base64url');
const database = {
  DATABASE_URL: 'postgresql://opentill:secret-password@localhost/opentill',
  OPENTILL_TOKEN_KEYS: `1:${key}`,
  OPENTILL_OPERATOR_KEY: 'an-operator-key-of-the-store-0123456789',
};
const gatewaySecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('invalid settings', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'an unknown environment',
      { OPENTILL_ENVIRONMENT: 'staging' },
      'OPENTILL_ENVIRONMENT: expected one of sandbox, production, got "staging".',
    ],
    [
      'an invalid host',
      { OPENTILL_HOST: 'shop' },
      'OPENTILL_HOST: expected an IP address or localhost, got "shop".',
    ],
    [
      'an invalid operator host',
      { OPENTILL_OPERATOR_HOST: '127.0.0' },
      'OPENTILL_OPERATOR_HOST: expected an IP address or localhost, got "127.0.0".',
    ],
    [
      'a port above 65535',
      { OPENTILL_PORT: '65536' },
      'OPENTILL_PORT: expected a whole number from 0 to 65535, got "65536".',
    ],
    [
      'a port that is not a number',
      { OPENTILL_OPERATOR_PORT: '80a' },
      'OPENTILL_OPERATOR_PORT: expected a whole number from 0 to 65535, got "80a".',
    ],
    [
      'a pool of one connection',
      { OPENTILL_POOL_SIZE: '1' },
      'OPENTILL_POOL_SIZE: expected a whole number from 2 to 200, got "1".',
    ],
    [
      'more connections than the bundled PostgreSQL has',
      { OPENTILL_POOL_SIZE: '91' },
      'OPENTILL_POOL_SIZE: expected at most 90 connections with the bundled PostgreSQL, got "91".',
    ],
    [
      'more connections of all workers than the bundled PostgreSQL has',
      { OPENTILL_WORKERS: '9', OPENTILL_POOL_SIZE: '11' },
      'OPENTILL_POOL_SIZE, OPENTILL_WORKERS: expected at most 90 connections with the bundled PostgreSQL, got "11" times 9.',
    ],
    [
      'no worker',
      { OPENTILL_WORKERS: '0' },
      'OPENTILL_WORKERS: expected a whole number from 1 to 64, got "0".',
    ],
    [
      'a token lifetime below the renewal window',
      { OPENTILL_TOKEN_LIFETIME: '659' },
      'OPENTILL_TOKEN_LIFETIME: expected a whole number from 660 to 86400, got "659".',
    ],
    [
      'a token lifetime above a day',
      { OPENTILL_TOKEN_LIFETIME: '86401' },
      'OPENTILL_TOKEN_LIFETIME: expected a whole number from 660 to 86400, got "86401".',
    ],
    [
      'an invalid boolean',
      { OPENTILL_REQUIRE_CONTENT_TYPE: 'no' },
      'OPENTILL_REQUIRE_CONTENT_TYPE: expected one of true, false, got "no".',
    ],
    [
      'another invalid boolean',
      { OPENTILL_BEHIND_TLS_PROXY: '1' },
      'OPENTILL_BEHIND_TLS_PROXY: expected one of true, false, got "1".',
    ],
    [
      'an unknown log format',
      { OPENTILL_LOG_FORMAT: 'text' },
      'OPENTILL_LOG_FORMAT: expected one of json, pretty, got "text".',
    ],
    [
      'a rate limit of 0',
      { OPENTILL_RATE_LIMIT: '0' },
      'OPENTILL_RATE_LIMIT: expected a whole number from 1 to 1000000, got "0".',
    ],
    [
      'a retention time shorter than the retries of a delivery',
      { OPENTILL_RETENTION_DAYS: '3' },
      'OPENTILL_RETENTION_DAYS: expected a whole number from 4 to 3650, got "3".',
    ],
    [
      'a grace longer than the shortest month',
      { OPENTILL_RENEWAL_GRACE_DAYS: '19' },
      'OPENTILL_RENEWAL_GRACE_DAYS: expected a whole number from 1 to 18, got "19".',
    ],
    [
      'a time zone',
      { OPENTILL_TIME_ZONE: 'Berlin' },
      'OPENTILL_TIME_ZONE: expected a name such as Europe/Berlin, got "Berlin".',
    ],
    [
      'a certificate without its key',
      { OPENTILL_TLS_CERT: '/cert.pem' },
      'OPENTILL_TLS_CERT and OPENTILL_TLS_KEY: expected both files or neither.',
    ],
    [
      'a payment gateway without TLS on another machine',
      {
        OPENTILL_ENVIRONMENT: 'production',
        OPENTILL_PAYMENT_GATEWAY_URL: 'http://pay.store.example/charge',
        OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecret,
      },
      'OPENTILL_PAYMENT_GATEWAY_URL: expected https://host/path without a user; http is for loopback only.',
    ],
    [
      'a demo in production',
      { OPENTILL_DEMO: 'true', OPENTILL_ENVIRONMENT: 'production' },
      'OPENTILL_DEMO: expected false in production.',
    ],
    [
      'an address other than loopback without TLS',
      { OPENTILL_HOST: '0.0.0.0' },
      'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_BEHIND_TLS_PROXY=true.',
    ],
    ...[
      { OPENTILL_ENVIRONMENT: 'production' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_TLS_CERT: '/c', OPENTILL_TLS_KEY: '/k' },
      { OPENTILL_BEHIND_TLS_PROXY: 'true' },
    ].map((env): [string, Record<string, string>, string] => [
      `webhooks to loopback with ${Object.entries(env)[0]?.join('=')}`,
      { ...env, OPENTILL_WEBHOOK_LOOPBACK: 'true' },
      'OPENTILL_WEBHOOK_LOOPBACK: expected false in production, with a public listener outside loopback, or behind a proxy.',
    ]),
    [
      'a trusted proxy that is a name',
      { OPENTILL_BEHIND_TLS_PROXY: 'true', OPENTILL_TRUSTED_PROXIES: '10.1.0.7, proxy.internal' },
      'OPENTILL_TRUSTED_PROXIES: expected comma-separated addresses and ranges such as 10.1.0.0/16, got " proxy.internal".',
    ],
    [
      'a trusted proxy without a proxy',
      { OPENTILL_TRUSTED_PROXIES: '10.1.0.7' },
      'OPENTILL_TRUSTED_PROXIES: expected OPENTILL_BEHIND_TLS_PROXY=true with it.',
    ],
    [
      'an operator address other than loopback without TLS',
      { OPENTILL_OPERATOR_HOST: '::' },
      'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_BEHIND_TLS_PROXY=true.',
    ],
    [
      'a database without token keys',
      { ...database, OPENTILL_TOKEN_KEYS: '' },
      'OPENTILL_TOKEN_KEYS: required with DATABASE_URL, the same for all servers (id:base64url).',
    ],
    [
      'a database without an operator key',
      { ...database, OPENTILL_OPERATOR_KEY: '' },
      'OPENTILL_OPERATOR_KEY or OPENTILL_OPERATOR_KEYS: required with DATABASE_URL.',
    ],
  ])(
    'an invalid setting is reported in one line with the expected and the received value: %s',
    (_, env, line) => {
      expect(problemsOf(env)).toEqual([line]);
    },
  );

  test('an unknown setting is reported with the list of valid ones', () => {
    expect(problemsOf({ OPENTILL_PROT: '8080' })).toEqual([
      `OPENTILL_PROT is not a setting. The settings are: ${Object.keys(settings).join(', ')}.`,
    ]);
  });
});

test('all invalid settings are reported together, one line each', () => {
  const problems = problemsOf({
    OPENTILL_PORT: 'x',
    OPENTILL_TIME_ZONE: 'Mars/Olympus',
    OPENTILL_UNKNOWN: '1',
    OPENTILL_ENVIRONMENT: 'test',
    DATABASE_URL: 'postgresql://localhost/opentill',
  });
  const names = problems.map((line) => /^\w+/.exec(line)?.[0]);
  expect(names.toSorted()).toEqual([
    'OPENTILL_ENVIRONMENT',
    'OPENTILL_OPERATOR_KEY',
    'OPENTILL_PORT',
    'OPENTILL_TIME_ZONE',
    'OPENTILL_TOKEN_KEYS',
    'OPENTILL_UNKNOWN',
  ]);
});

describe('valid settings', () => {
  test('an absent or empty variable has the documented default', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      environment: 'sandbox',
      publicAddress: { host: '127.0.0.1', port: 8080 },
      operatorAddress: { host: '127.0.0.1', port: 8081 },
      databaseUrl: undefined,
      tokenLifetimeSeconds: 3600,
      requiresContentType: true,
      callsPerSecondMax: undefined,
      timeZone: 'UTC',
      makesDemo: false,
      servesConsole: true,
      logFormat: undefined,
    });
    expect(config.dataFolder).toBe(`${process.cwd()}/.opentill`);
    expect(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ''])))).toEqual(config);
  });

  test('settings are accepted at their limits', () => {
    const limits = [
      { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '65535', OPENTILL_TOKEN_LIFETIME: '660' },
      { OPENTILL_TOKEN_LIFETIME: '86400', OPENTILL_RATE_LIMIT: '1', OPENTILL_POOL_SIZE: '2' },
      { OPENTILL_RATE_LIMIT: '1000000', OPENTILL_POOL_SIZE: '90', OPENTILL_HOST: '::1' },
      { ...database, OPENTILL_POOL_SIZE: '200', OPENTILL_WORKERS: '64' },
      { OPENTILL_POOL_SIZE: '10', OPENTILL_WORKERS: '9' },
      { OPENTILL_RETENTION_DAYS: '4' },
      { OPENTILL_RETENTION_DAYS: '3650' },
      { OPENTILL_RENEWAL_GRACE_DAYS: '1' },
      { OPENTILL_RENEWAL_GRACE_DAYS: '18' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_BEHIND_TLS_PROXY: 'true' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_TLS_CERT: '/c', OPENTILL_TLS_KEY: '/k' },
      { OPENTILL_OPERATOR_KEY: 'xy'.repeat(16), OPENTILL_TIME_ZONE: 'Asia/Seoul' },
      { ...database, OPENTILL_ENVIRONMENT: 'production' },
      ...['http://localhost:9090/charge', 'http://[::1]/', 'https://pay.store.example/charge'].map((url) => ({
        OPENTILL_ENVIRONMENT: 'production',
        OPENTILL_PAYMENT_GATEWAY_URL: url,
        OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecret,
      })),
      { ...database, DATABASE_URL: `${database.DATABASE_URL}?sslmode=disable` },
      { ...database, DATABASE_URL: 'postgres://opentill@%2Fvar%2Frun%2Fpostgresql/opentill?sslmode=disable' },
      { ...database, DATABASE_URL: 'postgres://opentill@%2Fvar%2Frun%2Fpostgresql/opentill' },
    ];
    expect(limits.map(problemsOf)).toEqual(limits.map(() => []));
  });

  test('other variables of the machine are ignored', () => {
    expect(problemsOf({ PATH: '/bin', PGPASSWORD: 'x', OPEN_TILL: '1', opentill_port: 'x' })).toEqual([]);
  });

  test('the default retention of events depends on the environment', () => {
    const daysOf = (env: Record<string, string>) => readConfig(env).retentionDays;
    expect(daysOf({})).toBe(30);
    expect(daysOf({ OPENTILL_ENVIRONMENT: 'production' })).toBe(180);
    expect(daysOf({ OPENTILL_ENVIRONMENT: 'production', OPENTILL_RETENTION_DAYS: '7' })).toBe(7);
  });
});
