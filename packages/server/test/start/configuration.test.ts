// The settings: valid values, and the messages for all invalid ones at once, one line each, without secrets. What a token
// key may be is tested with the domain.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { readConfig } from '../../src/config/config.ts';
import { commandVariables, settings } from '../../src/config/settings.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

type Env = Readonly<Record<string, string>>;

const tokenKey = Buffer.alloc(32, 1).toString('base64url');
const database = {
  DATABASE_URL: 'postgresql://opentill:secret-password@localhost/opentill',
  OPENTILL_TOKEN_KEYS: `1:${tokenKey}`,
  OPENTILL_OPERATOR_KEYS: 'root:admin:an-operator-key-of-the-store-0123456789',
};
const gateway = {
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_PAYMENT_GATEWAY_URL: 'https://pay.store.example/charge',
  OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

/** The lines with which these settings are refused. */
function problemsOf(env: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartProblem);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('invalid settings', () => {
  const wrong = (name: string, value: string, expected: string): [Env, string] => [
    { [name]: value },
    `${name}: expected ${expected}, got "${value}".`,
  ];
  const exposed =
    'OPENTILL_HOST, OPENTILL_OPERATOR_HOST: an address other than loopback needs OPENTILL_TLS_CERT and OPENTILL_TLS_KEY, or OPENTILL_TRUSTED_PROXIES if TLS ends in front of it (the word loopback trusts no other machine).';
  const reachable =
    'OPENTILL_WEBHOOK_ALLOW: expected no loopback in production, with a public listener outside loopback, or behind a proxy.';
  const allow = { OPENTILL_WEBHOOK_ALLOW: '10.1.0.0/16, loopback' };

  test.each<[Env, string]>([
    wrong('OPENTILL_ENVIRONMENT', 'staging', 'one of sandbox, production'),
    wrong('OPENTILL_PORT', '65536', 'a whole number from 0 to 65535'),
    [
      { OPENTILL_POOL_SIZE: '91' },
      'OPENTILL_POOL_SIZE: expected at most 90 connections with the bundled PostgreSQL, got "91".',
    ],
    [
      { OPENTILL_TIME_ZONE: 'Berlin' },
      'OPENTILL_TIME_ZONE: expected a name such as Europe/Berlin, got "Berlin".',
    ],
    [
      { OPENTILL_CHARGE_RETRIES: '2d,1d' },
      'OPENTILL_CHARGE_RETRIES: expected up to 12 ascending times up to 18d such as 1h,6h,1d,2d, got "2d,1d".',
    ],
    [
      { OPENTILL_TLS_CERT: '/cert.pem' },
      'OPENTILL_TLS_CERT and OPENTILL_TLS_KEY: expected both files or neither.',
    ],
    [
      { ...gateway, OPENTILL_PAYMENT_GATEWAY_URL: 'http://pay.store.example/charge' },
      'OPENTILL_PAYMENT_GATEWAY_URL: expected https://host/path without a user; http is for loopback only.',
    ],
    [{ OPENTILL_HOST: '0.0.0.0' }, exposed],
    [{ OPENTILL_OPERATOR_HOST: '::' }, exposed],
    [
      { OPENTILL_TRUSTED_PROXIES: 'loopback, proxy.internal' },
      'OPENTILL_TRUSTED_PROXIES: expected loopback, addresses and ranges such as 10.1.0.0/16, comma-separated, got "proxy.internal".',
    ],
    [{ ...allow, OPENTILL_ENVIRONMENT: 'production' }, reachable],
    [{ ...allow, OPENTILL_HOST: '0.0.0.0', OPENTILL_TLS_CERT: '/c', OPENTILL_TLS_KEY: '/k' }, reachable],
    [{ ...allow, OPENTILL_TRUSTED_PROXIES: '10.1.0.7' }, reachable],
    [
      { ...database, OPENTILL_TOKEN_KEYS: '' },
      'OPENTILL_TOKEN_KEYS: required with DATABASE_URL, the same for all servers (id:base64url).',
    ],
    [
      { ...database, OPENTILL_OPERATOR_KEYS: '' },
      'OPENTILL_OPERATOR_KEYS: required with DATABASE_URL (name:role:key).',
    ],
    [{ OPENTILL_PROT: '8080' }, 'OPENTILL_PROT is not a setting. Did you mean OPENTILL_PORT?'],
    [{ OPENTILL_FRUIT: '1' }, 'OPENTILL_FRUIT is not a setting. opentill serve --help lists all.'],
  ])('an invalid setting is reported in one line: %o', (env, line) => {
    expect(problemsOf(env)).toEqual([line]);
  });

  const hidden = 'hunter2-hunter2-hunter2-hunter2';
  const ofOperators = (keys: string) => ({ OPENTILL_OPERATOR_KEYS: keys });

  test.each<[string, Env, RegExp]>([
    ['a URL of another database', { DATABASE_URL: 'mysql://till:hunter2@localhost/till' }, /^DATABASE_URL: /],
    [
      'a password that should be encoded',
      { ...database, DATABASE_URL: 'postgresql://opentill:hunter2/x@localhost:5432/opentill' },
      /^DATABASE_URL: expected postgresql:/,
    ],
    ['a repeated character', ofOperators(`shop:record:${'x'.repeat(40)}`), /not all the same, in the entry/],
    ['a key with a space', ofOperators(`shop:record:${hidden} ${hidden}`), /named "shop"\.$/],
    ['a key that no header carries', ofOperators(`shop:record:clé-${hidden}`), /named "shop"\.$/],
    ['a key of an unknown role', ofOperators(`shop:boss:${hidden}`), /named "shop"\.$/],
    [
      'a key of 31 characters',
      ofOperators(`shop:record:hunter2${'x'.repeat(24)}`),
      /at least 32 ASCII.*"shop"\.$/,
    ],
    ['a key without a name', ofOperators(`:record:${hidden}`), /named "\?"\.$/],
    [
      'two keys of one name',
      ofOperators(`a:record:${hidden}-1,a:support:${hidden}-2`),
      /expected each name and each key once\.$/,
    ],
    [
      'the name of the key of the data folder',
      ofOperators(`admin:record:${hidden}-1`),
      /expected another name than admin, which is that of the key in operator\.key\.$/,
    ],
    [
      'one key for two roles',
      ofOperators(`a:record:${hidden}-1,b:admin:${hidden}-1`),
      /expected each name and each key once\.$/,
    ],
    ['a short token key', { OPENTILL_TOKEN_KEYS: '1:hunter2' }, /^OPENTILL_TOKEN_KEYS: key 1: expected/],
  ])('an invalid secret is reported in one line that does not repeat it: %s', (_, env, line) => {
    const problems = problemsOf(env);
    expect(problems).toEqual([expect.stringMatching(line)]);
    expect(problems.join()).not.toMatch(`hunter2|${tokenKey}`);
  });
});

describe('valid settings', () => {
  test('an absent or empty variable has the documented default', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      environment: 'sandbox',
      publicAddress: { host: '127.0.0.1', port: 8080 },
      operatorAddress: { host: '127.0.0.1', port: 8081 },
      databaseUrl: undefined,
      requiresContentType: true,
      callsPerSecondMax: undefined,
      timeZone: 'UTC',
      makesDemo: false,
      retentionDays: 30,
    });
    expect(config.dataFolder).toBe(`${process.cwd()}/.opentill`);
    expect(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ''])))).toEqual(config);
    expect(readConfig({ OPENTILL_ENVIRONMENT: 'production' }).retentionDays).toBe(180);
  });

  test('settings are accepted at their limits, and other variables of the machine are ignored', () => {
    const limits: Env[] = [
      { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '65535' },
      { OPENTILL_RATE_LIMIT: '1000000', OPENTILL_POOL_SIZE: '90', OPENTILL_HOST: '::1' },
      {
        ...database,
        OPENTILL_POOL_SIZE: '200',
        OPENTILL_CHARGE_RETRIES: '1h,2h,3h,4h,5h,6h,7h,8h,9h,10h,17d,18d',
      },
      { OPENTILL_RETENTION_DAYS: '4', OPENTILL_CHARGE_RETRIES: '1h' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_TRUSTED_PROXIES: 'loopback' },
      { OPENTILL_HOST: '0.0.0.0', OPENTILL_TLS_CERT: '/c', OPENTILL_TLS_KEY: '/k' },
      { OPENTILL_OPERATOR_KEYS: `a:admin:${'xy'.repeat(16)}`, OPENTILL_TIME_ZONE: 'Asia/Seoul' },
      gateway,
      Object.fromEntries(commandVariables.map((name) => [name, 'of the command line'])),
      { ...gateway, OPENTILL_PAYMENT_GATEWAY_URL: 'http://localhost:9090/charge' },
      { PATH: '/bin', PGPASSWORD: 'x', OPEN_TILL: '1', opentill_port: 'x' },
    ];
    expect(limits.map(problemsOf)).toEqual(limits.map(() => []));
  });
});

describe('secrets in files', () => {
  /** Each setting of `env` as a file, under the name of its file form. */
  async function asFiles(folder: string, env: Env): Promise<Env> {
    const entries = Object.entries(env).map(async ([name, value]) => {
      const path = join(folder, name);
      await writeFile(path, `${value}\n`, { mode: 0o600 });
      return [`${name}_FILE`, path] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  test('each setting with a secret can be set as a file', async () => {
    await using scratch = await makeScratch();
    const { OPENTILL_PAYMENT_GATEWAY_SECRET, ...others } = gateway;
    const secrets = { ...database, OPENTILL_PAYMENT_GATEWAY_SECRET };
    const files = await asFiles(scratch.path, secrets);
    expect(readConfig({ ...others, ...files })).toEqual(readConfig({ ...others, ...secrets }));
  });

  test('a secret that is set twice, a file that cannot be read and an empty one are reported in one line each', async () => {
    await using scratch = await makeScratch();
    const key = { OPENTILL_TOKEN_KEYS: `1:${tokenKey}` };
    const env = {
      ...key,
      ...(await asFiles(scratch.path, { ...key, OPENTILL_OPERATOR_KEYS: '' })),
      DATABASE_URL_FILE: join(scratch.path, 'missing'),
    };
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^DATABASE_URL_FILE: ENOENT: .*missing'\.$/),
      expect.stringMatching(/^OPENTILL_OPERATOR_KEYS_FILE: the file .* is empty\.$/),
      'OPENTILL_TOKEN_KEYS, OPENTILL_TOKEN_KEYS_FILE: expected one of them, got both.',
    ]);
  });
});

test('an invalid secret, or one whose file cannot be read, is not also reported as missing', () => {
  const name = /^[A-Z_]+/;
  for (const env of [
    { OPENTILL_TOKEN_KEYS: 'short' },
    { OPENTILL_TOKEN_KEYS: '', OPENTILL_TOKEN_KEYS_FILE: '/none' },
    { OPENTILL_OPERATOR_KEYS: 'shop:record:short' },
    { OPENTILL_OPERATOR_KEYS: '', OPENTILL_OPERATOR_KEYS_FILE: '/none' },
    { DATABASE_URL: 'mysql://localhost/till', OPENTILL_POOL_SIZE: '90' },
    { ...gateway, OPENTILL_PAYMENT_GATEWAY_SECRET: '', OPENTILL_PAYMENT_GATEWAY_SECRET_FILE: '/none' },
  ]) {
    const problems = problemsOf({ ...database, ...env });
    expect(problems, JSON.stringify(env)).toHaveLength(1);
    expect(Object.keys(env)).toContain(name.exec(problems[0] ?? '')?.[0]);
  }
});
