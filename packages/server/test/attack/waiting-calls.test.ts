import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { coalesced } from '../../src/store/connection/coalesced.ts';
import { DatabaseUnavailable } from '../../src/store/connection/database-failure.ts';
import { NoRow, statement } from '../../src/store/connection/statement.ts';
import { freshDatabase } from '../harness.ts';
import { openDatabase } from '../store/open-database.ts';
import { waitFor } from '../wait-for.ts';

const limits = { batchMax: 100, inFlightMax: 2 };

/** More calls than may wait. */
const callsInAll = 30_000;

describe('calls that share statements', () => {
  let began: string[][];
  let answerAll: () => void;
  let load: (key: string) => Promise<string>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    began = [];
    const answered = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    load = coalesced({ isDistributed: false, patience: 1 }, limits, async (keys: readonly string[]) => {
      began.push([...keys]);
      await answered;
      return keys.map((key) => `answer to ${key}`);
    });
  });

  afterEach(() => void vi.useRealTimers());

  /** Resolves when all work that can start has started. */
  const begun = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  test('calls are rejected when too many wait, and the others are answered', async () => {
    const settled = Promise.allSettled(Array.from({ length: callsInAll }, (_, call) => load(`${call}`)));
    await begun();
    answerAll();
    const outcomes = await settled;
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10_000);
    for (const outcome of refused) expect(outcome).toHaveProperty('reason', expect.any(DatabaseUnavailable));
    expect(began.flat()).toHaveLength(20_000);
    expect(Math.max(...began.map((keys) => keys.length))).toBe(limits.batchMax);
  });

  test('a call whose deadline has passed is not part of the next statement', async () => {
    const first = [load('a'), load('b')];
    await begun();
    const second = load('c');
    await begun();
    const late = load('late');
    await begun();
    vi.advanceTimersByTime(1_501);
    const inTime = load('in time');
    answerAll();
    const outcomes = await Promise.allSettled([...first, second, late, inTime]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(inTime).resolves.toBe('answer to in time');
    expect(began).toEqual([['a', 'b'], ['c'], ['in time']]);
  });
});

test('a transaction whose statements together take too long fails with DatabaseUnavailable', async () => {
  const short = statement({ name: 'test_short', text: 'select', row: NoRow });
  await using fresh = await freshDatabase();
  await using database = openDatabase(fresh.connection, 2, { patience: 1 });
  const scope = { packageName: 'com.example.game' };
  const work = database.transaction(scope, (transaction) =>
    waitFor(async () => (await transaction.rows(short, [])).length === 0, { what: 'a statement that fails' }),
  );
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable);
});
