// A store that is exported and imported into an empty database responds to every call with the same bytes, and its export is
// identical.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  createTestApp,
  freshDatabase,
  startTestServer,
  type TestApp,
  testNow,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { everyCall } from '../../../../test/support/transfer/every-call.ts';
import { lastSteps, storeSteps, take } from '../../../../test/support/transfer/store-steps.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import type { Randomness } from '../../src/runtime/randomness.ts';
import { transferKinds } from '../../src/store/transfer/kinds.ts';
import { putSubscription } from '../subscription-products.ts';

const runs = Number(process.env['ROUND_TRIPS'] ?? 2);
const seenKinds = new Set<string>();

afterAll(() => {
  // A history must contain every kind of row.
  expect([...seenKinds].sort()).toEqual(['opentill', 'end', ...transferKinds.map(({ kind }) => kind)].sort());
});

/** The first event of the app, which waits for its next attempt after a failed delivery. */
const waitingDelivery = `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time,
    purchase_id, subject, state, due_time, schedule_start, schedule_attempts, attempts)
  select package_name, event_order, 'evt_moved', type, event_time, purchase_id, purchase_id, 'waiting',
    event_time + 60000, event_time, 1, ('[{"time":' || event_time || ',"appTime":' || event_time
      || ',"failure":"timedOut","latencyMs":10000,"response":"","isResponseCut":false}]')::json
  from event where package_name = 'com.example.a' order by event_order limit 1`;

/** Deterministic ids, secrets and request ids, the same for each server with the same seed. */
function seeded(seed: number): Randomness {
  let drawn = 0;
  const bytes = (count: number): Buffer => {
    drawn += 1;
    return createHash('shake256', { outputLength: count }).update(`${seed}:${drawn}`).digest();
  };
  return {
    bytes,
    digits: (count) => [...bytes(count)].map((byte) => byte % 10).join(''),
    uint32: () => bytes(4).readUInt32BE(),
  };
}

test('an imported store responds to every call like the exported one, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(storeSteps, async (steps) => {
      await using first = await freshDatabase();
      await using second = await freshDatabase();
      const clock = new TestClock(testNow);
      const filling = await startTestServer({ database: first, clock });
      const apps: [TestApp, TestApp] = [
        await createTestApp(filling, 'com.example.a'),
        await createTestApp(filling, 'com.example.b'),
      ];
      for (const app of apps) {
        for (const period of ['P1W', 'P1Y'] as const) await putSubscription(filling, app, period);
      }
      for (const step of [...steps, ...lastSteps]) await take(filling, apps, step);
      await filling.stop();
      await query(first.connection, waitingDelivery);
      const text = await exported(first.connection);
      for (const [, kind = ''] of text.matchAll(/^\{"kind":"(\w+)"/gm)) seenKinds.add(kind);

      await imported(second.connection, text);
      expect(await exported(second.connection)).toBe(text);

      const rows = await query(
        first.connection,
        'select distinct purchase_id from purchase order by 1 desc limit 4',
      );
      const calls = everyCall(apps, [...rows.map((row) => String(row['purchase_id'])), 'p-none']);
      for (const { connection } of [first, second]) {
        await using counting = await openDatabase(connection, 1);
        await countAll(counting);
      }
      await using original = await startTestServer({ database: first, clock, randomness: seeded(1) });
      await using copy = await startTestServer({ database: second, clock, randomness: seeded(1) });
      for (const { name, make } of calls) {
        const [expected, got] = await Promise.all([make(original), make(copy)]);
        // Only the mark distinguishes an imported action.
        const text = got.text.replaceAll(',"isImported":true', '');
        expect([got.status, text], name).toEqual([expected.status, expected.text]);
      }
    }),
    { numRuns: runs },
  );
});
