// DATABASE_URL: the URLs that are refused, and what their parameters mean.

import { expect, test } from 'vitest';
import { readStoreConfig } from '../../src/config/config.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

type Env = Readonly<Record<string, string>>;

/** The lines with which a start or a command is refused. */
function problemsOf(env: Env): string[] {
  try {
    readStoreConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartProblem);
    return (error as Error).message.split('\n');
  }
  return [];
}

const envOf = (DATABASE_URL: string, more: Env = {}) => ({ DATABASE_URL, ...more });
const remote = (query: string) => `postgresql://till:hunter2@db.internal/till${query}`;
const warningOf = (env: Env) => readStoreConfig(env).databaseWarning;

test.each([
  [remote(''), 'no sslmode'],
  [remote('?sslmode=prefer'), 'sslmode=prefer'],
  [remote('?ssl=false'), 'ssl=false'],
  [remote('?sslmode=verify-full&sslmode=prefer'), 'sslmode=prefer'],
  ['postgresql://till@localhost/till?host=db.internal', 'no sslmode'],
])('a database on another machine with %s is refused', (url, got) => {
  const line = `DATABASE_URL: expected sslmode=verify-full for the database on db.internal, or disable in a private network, got ${got}.`;
  expect(problemsOf(envOf(url))).toEqual([line]);
});

test('a URL without a host is that of PGHOST', () => {
  const url = 'postgresql://till@/till';
  expect(problemsOf(envOf(url))).toEqual([]);
  expect(problemsOf(envOf(url, { PGHOST: 'db.internal' }))).toHaveLength(1);
});

test.each([
  remote('?sslmode=verify-full'),
  remote('?sslmode=verify-ca'),
  remote('?sslmode=require&application_name=till'),
  remote('?ssl=true'),
  remote('?sslmode=disable&sslmode=verify-full&sslrootcert=/none.pem'),
  'postgresql://till@127.0.0.1/till?sslmode=disable',
  'postgresql://till@%2Fvar%2Frun%2Fpostgresql/till',
  'postgresql://till@/till?host=/var/run/postgresql',
])('%s is accepted without a warning', (url) => {
  expect(problemsOf(envOf(url))).toEqual([]);
  expect(warningOf(envOf(url))).toBeUndefined();
});

test('require and verify-ca verify as verify-full does, unless the URL asks for their meaning in libpq', () => {
  const urlOf = (query: string) => readStoreConfig(envOf(remote(query))).databaseUrl;
  for (const mode of ['require', 'verify-ca'])
    expect(urlOf(`?sslmode=${mode}&sslrootcert=/ca.pem`)).toBe(
      remote('?sslmode=verify-full&sslrootcert=/ca.pem'),
    );
  const compatible = '?sslmode=require&uselibpqcompat=true';
  expect(urlOf(compatible)).toBe(remote(compatible));
});

const several = 'expected one host, got several: use an address that leads to the primary.';
const encoded =
  'expected postgresql://user:password@host:port/database with one @: encode others as %40, and / ? # of a password as %2F %3F %23.';

test.each([
  ['postgresql://till@a.internal,b.internal/till', several],
  ['postgresql://till@a.internal:5432,b.internal:5433/till', several],
  ['postgresql://till@/till?host=a.internal,b.internal', several],
  ['postgresql://till:hunter2@hunter2@db.internal/till', encoded],
  ['postgresql://till:hunter2@hunter2/x@db.internal/till', encoded],
  ['postgresql://till:12/hunter2@db.internal/till', encoded],
  ['postgresql://till:12?hunter2@db.internal/till', encoded],
  ['postgresql://till:12#hunter2@db.internal/till', encoded],
  [
    'postgresql://till:hunter2%ff@localhost/till',
    'expected postgresql://user:password@host:port/database, percent-encoded as UTF-8.',
  ],
  ...['target_session_attrs=read-write', 'channel_binding=require', 'statement_timeout=0', 'binary=true'].map(
    (parameter) => [
      remote(`?sslmode=verify-full&${parameter}`),
      `the parameter ${parameter.split('=')[0]} is not supported: remove it.`,
    ],
  ),
])('%s is refused in one line that repeats no password: %s', (url, line) => {
  expect(problemsOf(envOf(url as string))).toEqual([`DATABASE_URL: ${line}`]);
});

test.each([
  ['?sslmode=disable', 'sslmode=disable leaves the connection unprotected'],
  ['?sslmode=require&uselibpqcompat=true', 'sslmode=require does not verify the certificate'],
])('a database on another machine with %s is accepted with a warning', (query, warning) => {
  expect(problemsOf(envOf(remote(query)))).toEqual([]);
  expect(warningOf(envOf(remote(query)))).toContain(warning);
});
