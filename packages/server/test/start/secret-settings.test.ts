// The settings that contain secrets: an invalid one is reported without its value. What a token key may be is tested with
// the domain, and what a DATABASE_URL may be in database-url.test.ts.

import { expect, test } from 'vitest';
import { problemsOf } from './setting-problems.ts';

const key = Buffer.alloc(32, 1).toString('base64url');
const database = {
  OPENTILL_TOKEN_KEYS: `1:${key}`,
  OPENTILL_OPERATOR_KEY: 'an-operator-key-of-the-store-0123456789',
};

test.each<[string, Record<string, string>, RegExp]>([
  [
    'a DATABASE_URL of another database',
    { DATABASE_URL: 'mysql://opentill:hunter2@localhost/opentill' },
    /^DATABASE_URL: expected postgresql:/,
  ],
  [
    'a DATABASE_URL with a port that is none',
    { ...database, DATABASE_URL: 'postgresql://opentill:hunter2@localhost:port/opentill' },
    /^DATABASE_URL: expected postgresql:/,
  ],
  [
    'a DATABASE_URL with a password that should be encoded',
    { ...database, DATABASE_URL: 'postgresql://opentill:hunter2/x@localhost:5432/opentill' },
    /^DATABASE_URL: expected postgresql:/,
  ],
  [
    'an operator key of one repeated character',
    { OPENTILL_OPERATOR_KEY: 'x'.repeat(40) },
    /^OPENTILL_OPERATOR_KEY: expected at least 32 ASCII characters, not all the same/,
  ],
  [
    'an operator key of 31 characters',
    { OPENTILL_OPERATOR_KEY: `hunter2${'x'.repeat(24)}` },
    /^OPENTILL_OPERATOR_KEY: expected at least 32/,
  ],
  [
    'an operator key of blanks',
    { OPENTILL_OPERATOR_KEY: ' '.repeat(40) },
    /^OPENTILL_OPERATOR_KEY: expected at least 32 ASCII characters, not all the same, with spaces only between other characters\.$/,
  ],
  [
    'an operator key that no header carries',
    { OPENTILL_OPERATOR_KEY: 'clé-hunter2-hunter2-hunter2-hunter2' },
    /^OPENTILL_OPERATOR_KEY: expected at least 32 ASCII/,
  ],
  [
    'a key of a role that no header carries',
    { OPENTILL_OPERATOR_KEYS: 'shop:record:clé-hunter2-hunter2-hunter2-hunter2' },
    /a key of at least 32 ASCII characters, not all the same, with spaces only between other characters, in the entry named "shop"\.$/,
  ],
  [
    'a key of a role that begins with a blank',
    { OPENTILL_OPERATOR_KEYS: 'shop:record: hunter2-hunter2-hunter2-hunter2' },
    /named "shop"\.$/,
  ],
  ['a key of no role', { OPENTILL_OPERATOR_KEYS: 'shop:hunter2-hunter2-hunter2' }, /named "shop"\.$/],
  [
    'a key of an unknown role',
    { OPENTILL_OPERATOR_KEYS: 'shop:boss:hunter2-hunter2-hunter2-hunter2' },
    /named "shop"\.$/,
  ],
  ['a short key of a role', { OPENTILL_OPERATOR_KEYS: 'shop:record:hunter2' }, /named "shop"\.$/],
  [
    'a key without a name',
    { OPENTILL_OPERATOR_KEYS: ':record:hunter2-hunter2-hunter2-hunter2' },
    /named "\?"\.$/,
  ],
  [
    'two keys of one name',
    {
      OPENTILL_OPERATOR_KEYS:
        'a:record:hunter2-hunter2-hunter2-hunter2-1,a:support:hunter2-hunter2-hunter2-hunter2-2',
    },
    /expected each name once; admin is the name of OPENTILL_OPERATOR_KEY\.$/,
  ],
  [
    'a key of the name of the first',
    { OPENTILL_OPERATOR_KEYS: 'admin:record:hunter2-hunter2-hunter2-hunter2-1' },
    /expected each name once; admin is the name of OPENTILL_OPERATOR_KEY\.$/,
  ],
  [
    'one key for two roles',
    {
      OPENTILL_OPERATOR_KEYS:
        'a:record:hunter2-hunter2-hunter2-hunter2-1,b:admin:hunter2-hunter2-hunter2-hunter2-1',
    },
    /expected each key once\.$/,
  ],
  [
    'the key of a role that is the first one too',
    {
      OPENTILL_OPERATOR_KEY: 'hunter2-hunter2-hunter2-hunter2-1',
      OPENTILL_OPERATOR_KEYS: 'a:record:hunter2-hunter2-hunter2-hunter2-1',
    },
    /expected each key once\.$/,
  ],
  ['a short token key', { OPENTILL_TOKEN_KEYS: '1:hunter2' }, /^OPENTILL_TOKEN_KEYS: key 1: expected/],
])('an invalid secret is reported in one line that does not repeat it: %s', (_, env, line) => {
  const problems = problemsOf(env);
  expect(problems).toEqual([expect.stringMatching(line)]);
  expect(problems.join()).not.toContain('hunter2');
  expect(problems.join()).not.toContain(key);
});
