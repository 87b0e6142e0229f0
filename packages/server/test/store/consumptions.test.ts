// Consumes that share a statement, and the reader of purchase states.

import { expect, test, vi } from 'vitest';
import { createTestApp, recordTestPurchase, useTestServer } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { purchaseConsumer } from '../../src/store/purchases/consumptions.ts';
import { type PurchaseKey, purchaseStateReader } from '../../src/store/purchases/purchases.ts';

const server = await useTestServer();

const came = ['P-3', 'P-1', 'P-4', 'P-2'];

test.each([
  ['single', false],
  ['cluster', true],
])(
  'on a database that is a %s, the events of concurrent consumes are in the order of the calls',
  async (kind, isDistributed) => {
    await using database = openDatabase(server.connection, 2, { isDistributed });
    const apps = [
      await createTestApp(server, `com.consumed.${kind}.b`),
      await createTestApp(server, `com.consumed.${kind}.a`),
    ];
    for (const app of apps) {
      for (const purchaseId of came.toSorted()) await recordTestPurchase(server, app, { purchaseId });
    }
    const statements = vi.spyOn(database, 'rows');
    const consume = purchaseConsumer({ database, clock: new StoreClock(server.clock, 'sandbox') });
    const by = { madeBy: 'app', requestId: 'r', shows: false };
    const requests = came.flatMap((purchaseId) =>
      apps.map(({ packageName }) => ({ packageName, purchaseId, ...by })),
    );
    const consumptions = await Promise.all(requests.map(consume));
    expect(consumptions.map(({ outcome }) => outcome)).toEqual(requests.map(() => 'consumed'));
    for (const { packageName } of apps) {
      const events = await query(
        server.connection,
        `select purchase_id as id from event where package_name = '${packageName}' and type = 'purchase.consumed'
        order by event_order`,
      );
      expect(events.map(({ id }) => id)).toEqual(came);
    }
    // The second value of the statement has the packages.
    const appsTogether = statements.mock.calls.map(([, [, packages]]) => new Set([packages].flat()).size);
    expect(Math.max(...appsTogether)).toBe(kind === 'single' ? 2 : 1);
  },
);

test('the statement for a cluster and the one for a single database return the same purchases', async () => {
  const apps = [
    await createTestApp(server, 'com.example.one'),
    await createTestApp(server, 'com.example.two'),
  ];
  const keys: PurchaseKey[] = [];
  for (const app of apps) {
    for (const payload of ['a', 'b']) {
      const { packageName, purchaseId } = await recordTestPurchase(server, app, {
        developerPayload: payload,
      });
      keys.push({ packageName, purchaseId });
    }
    keys.push({ packageName: app.packageName, purchaseId: 'missing' });
  }
  const read = async (isDistributed: boolean) => {
    await using database = openDatabase(server.connection, 2, { isDistributed });
    const readState = purchaseStateReader(database);
    const states = await Promise.all(keys.map(readState));
    // Each statement has a column of its own that identifies its rows.
    return states.map((state) => state && { ...state, position: undefined, purchaseId: undefined });
  };
  const single = await read(false);
  expect(single.map((state) => state?.developerPayload)).toEqual(['a', 'b', undefined, 'a', 'b', undefined]);
  expect(await read(true)).toEqual(single);
});
