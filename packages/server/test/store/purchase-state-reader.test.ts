import { expect, test } from 'vitest';
import { type PurchaseKey, purchaseStateReader } from '../../src/store/purchases/purchases.ts';
import { createTestApp, recordTestPurchase, useTestServer } from '../harness.ts';
import { openDatabase } from './open-database.ts';

const server = await useTestServer();

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
    // Each statement has a column of its own that tells its rows apart.
    return states.map((state) => state && { ...state, position: undefined, purchaseId: undefined });
  };
  const single = await read(false);
  expect(single.map((state) => state?.developerPayload)).toEqual(['a', 'b', undefined, 'a', 'b', undefined]);
  expect(await read(true)).toEqual(single);
});
