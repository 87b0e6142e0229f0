// Which connections to a database a start accepts, refuses, or warns about.

import { expect, test } from 'vitest';
import { readStoreConfig } from '../../src/config/config.ts';
import { problemsOf } from './setting-problems.ts';

const key = Buffer.alloc(32, 1).toString('base64url');
const envOf = (DATABASE_URL: string, more: Record<string, string> = {}) => ({
  DATABASE_URL,
  OPENTILL_TOKEN_KEYS: `1:${key}`,
  OPENTILL_OPERATOR_KEYS: 'root:admin:an-operator-key-of-the-store-0123456789',
  ...more,
});
const remote = (query: string) => `postgresql://till:hunter2@db.internal/till${query}`;
const warningOf = (env: Record<string, string>) => readStoreConfig(env).databaseWarning;

test.each([
  [remote(''), 'no sslmode'],
  [remote('?sslmode=prefer'), 'sslmode=prefer'],
  [remote('?sslmode=no-verify'), 'sslmode=no-verify'],
  [remote('?sslmode=verify'), 'sslmode=verify'],
  [remote('?ssl=false'), 'ssl=false'],
  [remote('?sslmode=verify-full&sslmode=prefer'), 'sslmode=prefer'],
  ['postgresql://till@localhost/till?host=db.internal', 'no sslmode'],
  ['postgresql://till@[2001:db8::1]/till', 'no sslmode'],
])('a database on another machine with %s is refused', (url, got) => {
  const line = `DATABASE_URL: expected sslmode=verify-full for a database on another machine, or disable in a private network, got ${got}.`;
  expect(problemsOf(envOf(url))).toEqual([line]);
});

test('a URL without a host is that of PGHOST', () => {
  const url = 'postgresql://till@/till';
  expect(problemsOf(envOf(url))).toEqual([]);
  expect(problemsOf(envOf(url, { PGHOST: 'db.internal' }))).toHaveLength(1);
});

test.each([
  remote('?sslmode=verify-full'),
  remote('?sslmode=disable&sslmode=verify-full&sslrootcert=/none.pem'),
  remote('?ssl=true'),
  'postgresql://till@127.0.0.1/till?sslmode=disable',
  'postgresql://till@[::1]/till',
  'postgresql://till@localhost/till',
  'postgresql://till@%2Fvar%2Frun%2Fpostgresql/till',
  'postgresql://till@/till?host=/var/run/postgresql',
])('%s is accepted without a warning', (url) => {
  expect(problemsOf(envOf(url))).toEqual([]);
  expect(warningOf(envOf(url))).toBeUndefined();
});

test.each([
  ['?sslmode=disable', 'sslmode=disable leaves the connection unprotected'],
  ['?sslmode=require', 'sslmode=require will not verify the certificate'],
  ['?sslmode=verify-ca', 'sslmode=verify-ca will not verify the host name'],
  ['?sslmode=verify-ca&uselibpqcompat=true', 'sslmode=verify-ca does not verify the host name'],
  ['?sslmode=require&uselibpqcompat=true', 'sslmode=require does not verify the certificate'],
])('a database on another machine with %s is accepted with a warning', (query, warning) => {
  expect(problemsOf(envOf(remote(query)))).toEqual([]);
  expect(warningOf(envOf(remote(query)))).toContain(warning);
});
