// Requests that wait for one turn: they share what is run when it comes, and each gets the answer to its own.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { DatabaseUnavailable } from '../../src/store/database-failure.ts';
import { gathered } from '../../src/store/gathered.ts';
import { freshDatabase, type TestDatabase } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { openDatabase } from './open-database.ts';

let fresh: TestDatabase;
let database: Database;
let batches: string[][];
let endAll: () => void;
let ask: (request: string) => Promise<string>;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.connection, 10);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await fresh[Symbol.asyncDispose]();
});
beforeEach(() => {
  const ended = Promise.withResolvers<void>();
  endAll = ended.resolve;
  batches = [];
  ask = gathered(
    database,
    (request: string) => ({ packageName: 'com.example.game', record: request.slice(0, 1) }),
    async (requests) => {
      batches.push([...requests]);
      await ended.promise;
      return requests.map((request) => `answer to ${request}`);
    },
  );
});

const begun = (count: number) =>
  waitFor(() => batches.length >= count, { deadlineMs: 5_000, what: `${count} batches` });

test('those that come while one runs share the next, and each has its own answer', async () => {
  const first = ask('a1');
  await begun(1);
  const rest = ['a2', 'a3', 'a4'].map(ask);
  endAll();
  expect(await Promise.all([first, ...rest])).toEqual(
    ['a1', 'a2', 'a3', 'a4'].map((one) => `answer to ${one}`),
  );
  expect(batches).toEqual([['a1'], ['a2', 'a3', 'a4']]);
});

test('one of another record neither shares nor waits', async () => {
  const asked = [ask('a1')];
  await begun(1);
  asked.push(ask('a2'), ask('b1'));
  await begun(2);
  expect(batches).toEqual([['a1'], ['b1']]);
  endAll();
  expect(await Promise.all(asked)).toEqual(['answer to a1', 'answer to a2', 'answer to b1']);
});

test('1,000 share a turn, and whoever comes then is refused', async () => {
  const first = ask('a');
  await begun(1);
  const shared = Array.from({ length: 1_000 }, (_, index) => ask(`a${index}`));
  await expect(ask('a more')).rejects.toBeInstanceOf(DatabaseUnavailable);
  endAll();
  await first;
  expect(await Promise.all(shared)).toHaveLength(1_000);
  expect(batches.map((requests) => requests.length)).toEqual([1, 1_000]);
});
