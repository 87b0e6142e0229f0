// Random ids of paid months: an id that the app already has is drawn again, and no month is lost.

import { expect, test } from 'vitest';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { advance, eventsOf, freeze } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, recordTestPurchase, type TestApp, useTestServer } from '../harness.ts';

/** The next drawn values, before random ones. */
let drawn: string[] = [];
let app: TestApp;

const digits = (count: number) => drawn.shift()?.repeat(count) ?? secureRandomness.digits(count);
const server = await useTestServer({ randomness: { ...secureRandomness, digits } });

const idOf = (digit: string) => `SANDBOX${digit.repeat(13)}`;

async function subscribe(packageName: string): Promise<void> {
  app = await createTestApp(server, packageName);
  await freeze(server, app);
  for (const purchaseId of ['S-1', 'S-2']) {
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId });
  }
}

/** The ids of the second months, in the order of the subscriptions. */
async function secondMonths(): Promise<unknown[]> {
  const rows = await query(
    server.connection,
    `select purchase_id as id from purchase where package_name = '${app.packageName}' and period_index = 1
      order by first_purchase_id`,
  );
  return rows.map(({ id }) => id);
}

async function expectRenewed(): Promise<void> {
  expect((await advance(server, app, { by: 'P1M' })).count).toBe(2);
  expect(drawn).toEqual([]);
  const events = await eventsOf(server.connection, app.packageName);
  expect(events.slice(-2)).toMatchObject([
    { type: 'subscription.renewed', subscription: 'S-1' },
    { type: 'subscription.renewed', subscription: 'S-2' },
  ]);
}

test('a month draws another purchase id if its app already has the drawn one', async () => {
  await subscribe('com.drawn.taken');
  await recordTestPurchase(server, app, { purchaseId: idOf('0') });
  drawn = ['0', '1', '0', '2'];
  await expectRenewed();
  expect(await secondMonths()).toEqual([idOf('2'), idOf('1')]);
});

test('one of two months that draw the same id draws another', async () => {
  await subscribe('com.drawn.twice');
  drawn = ['3', '3', '4'];
  await expectRenewed();
  expect((await secondMonths()).toSorted()).toEqual([idOf('3'), idOf('4')]);
});
