// Random ids of paid periods: an id that the app already has is drawn again, and no period is lost.

import { expect, test } from 'vitest';
import { newTestApp, recordTestPurchase, useTestServer } from '../../../../test/support/harness.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';

/** The next drawn values, before random ones. */
let drawn: string[] = [];

const digits = (count: number) => drawn.shift()?.repeat(count) ?? secureRandomness.digits(count);
const server = await useTestServer({ randomness: { ...secureRandomness, digits } });

const idOf = (digit: string) => `SANDBOX${digit.repeat(13)}`;

test.each([
  ['its app already has the drawn one', ['0', '1', '0', '2'], ['1', '2']],
  ['another period draws it too', ['3', '3', '4'], ['3', '4']],
])('a period draws another purchase id if %s', async (_, draws, expected) => {
  const app = await newTestApp(server);
  await freeze(server, app);
  await recordTestPurchase(server, app, { purchaseId: idOf('0') });
  for (const purchaseId of ['S-1', 'S-2']) {
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId });
  }
  drawn = draws;
  const { happened } = await advance(server, app, { by: 'P1M' });
  expect(drawn).toEqual([]);
  expect(happened).toMatchObject([
    { type: 'subscription.renewed', firstPurchaseId: 'S-1' },
    { type: 'subscription.renewed', firstPurchaseId: 'S-2' },
  ]);
  const ids: string[] = happened.map(({ purchaseId }: { purchaseId: string }) => purchaseId);
  expect(ids.toSorted()).toEqual(expected.map(idOf));
});
