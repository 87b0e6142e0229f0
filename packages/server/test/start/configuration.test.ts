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
  const wrong = (name: string, value: string, expected: string): [Record<string, string>, string] => [
    { [name]: value },
    `${name}: expected ${expected}, got "${value}".`,
  ];

  test.each<[Record<string, string>, string]>([
    wrong('OPENTILL_ENVIRONMENT', 'staging', 'one of sandbox, production'),
    wrong('OPENTILL_REQUIRE_CONTENT_TYPE', 'no', 'one of true, false'),
    wrong('OPENTILL_BEHIND_TLS_PROXY', '1', 'one of true, false'),
    wrong('OPENTILL_LOG_FORMAT', 'text', 'one of json, pretty'),
    wrong('OPENTILL_HOST', 'shop', 'an IP address or localhost'),
    wrong('OPENTILL_OPERATOR_HOST', '127.0.0', 'an IP address or localhost'),
    wrong('OPENTILL_PORT', '65536', 'a whole number from 0 to 65535'),
    wrong('OPENTILL_OPERATOR_PORT', '80a', 'a whole number from 0 to 65535'),
    wrong('OPENTILL_POOL_SIZE', '1', 'a whole number from 2 to 200'),
    wrong('OPENTILL_TOKEN_LIFETIME', '659', 'a whole number from 660 to 86400'),
    wrong('OPENTILL_TOKEN_LIFETIME', '86401', 'a whole number from 660 to 86400'),
    wrong('OPENTILL_RATE_LIMIT', '0', 'a whole number from 1 to 1000000'),
    wrong('OPENTILL_RETENTION_DAYS', '3', 'a whole number from 4 to 3650'),
    wrong('OPENTILL_RENEWAL_GRACE_DAYS', '19', 'a whole number from 1 to 18'),
    [
      { OPENTILL_POOL_SIZE: '91' },
      'OPENTILL_POOL_SIZE: expected at most 90 connections with the bundled PostgreSQL, got "91".',
    ],
    [
      { OPENTILL_TIME_ZONE: 'Berlin' },
      'OPENTILL_TIME_ZONE: expected a name such as Europe/Berlin, got "Berlin".',
    ],
    [
      { OPENTILL_TLS_CERT: '/cert.pem' },
      'OPENTILL_TLS_CERT and OPENTILL_TLS_KEY: expected both files or neither.',
    ],
    [
      {
        OPENTILL_ENVIRONMENT: 'production',
        OPENTILL_PAYMENT_GATEWAY_URL: 'http://pay.store.example/charge',
        OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecret,
      },
      'OPENTILL_PAYMENT_GATEWAY_URL: expected https://host/path without a user; http is for loopback only.',
    ],
    [
      { OPENTILL_DEMO: 'true', OPENTILL_ENVIRONMENT: 'production' },
      'OPENTILL_DEMO: expected false in production.',
    ],
    [
      { OPENTILL_HOST: '0.0.0.0' },
      'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_BEHIND_TLS_PROXY=true.',
    ],
    [
      { OPENTILL_BEHIND_TLS_PROXY: 'true', OPENTILL_TRUSTED_PROXIES: '10.1.0.7, proxy.internal' },
      'OPENTILL_TRUSTED_PROXIES: expected comma-separated addresses and ranges such as 10.1.0.0/16, got " proxy.internal".',
    ],
    [
      { OPENTILL_TRUSTED_PROXIES: '10.1.0.7' },
      'OPENTILL_TRUSTED_PROXIES: expected OPENTILL_BEHIND_TLS_PROXY=true with it.',
    ],
    ...[
      { OPENTILL_ENVIRONMENT: 'production' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_TLS_CERT: '/c', OPENTILL_TLS_KEY: '/k' },
      { OPENTILL_BEHIND_TLS_PROXY: 'true' },
    ].map((env): [Record<string, string>, string] => [
      { ...env, OPENTILL_WEBHOOK_ALLOW: '10.1.0.0/16, loopback' },
      'OPENTILL_WEBHOOK_ALLOW: expected no loopback in production, with a public listener outside loopback, or behind a proxy.',
    ]),
    [
      { OPENTILL_OPERATOR_HOST: '::' },
      'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_BEHIND_TLS_PROXY=true.',
    ],
    [
      { ...database, OPENTILL_TOKEN_KEYS: '' },
      'OPENTILL_TOKEN_KEYS: required with DATABASE_URL, the same for all servers (id:base64url).',
    ],
    [
      { ...database, OPENTILL_OPERATOR_KEY: '' },
      'OPENTILL_OPERATOR_KEY or OPENTILL_OPERATOR_KEYS: required with DATABASE_URL.',
    ],
  ])(
    'an invalid setting is reported in one line with the expected and the received value: %o',
    (env, line) => {
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
      { ...database, OPENTILL_POOL_SIZE: '200' },
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
