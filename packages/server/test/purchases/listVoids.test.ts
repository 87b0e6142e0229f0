// listVoids: the voided purchases of all apps, newest first, with who voided them and why.

import { listVoids } from '@opentill/contract/operator-api/listVoids.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import type { Void } from '@opentill/contract/voids.ts';
import { expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator, callSandbox, everyPage, type OperationCall } from '../operator-api/checked-call.ts';

const server = await useTestServer();
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');

async function voidAt(
  passesMs: number,
  packageName: string,
  purchaseId: string,
  body: object,
): Promise<void> {
  await server.clock.set(testNow + passesMs);
  const path = `/apps/${packageName}/purchases/${purchaseId}/void`;
  const { status, text } = await operate(server, 'POST', path, { body, key: supportKey });
  if (status !== 200) throw new Error(text);
}

for (const purchaseId of ['1', '2', '3', 'kept']) await recordTestPurchase(server, game, { purchaseId });
for (const purchaseId of ['1', '2']) await recordTestPurchase(server, shop, { purchaseId });
const why = { reasonCode: 'fraud', note: 'reported <b>twice</b>', ticket: 'T-7' };
await voidAt(1_000, game.packageName, '1', why);
await voidAt(2_000, shop.packageName, '1', {});
await voidAt(2_000, game.packageName, '2', { reason: 'customer' });
await voidAt(3_000, shop.packageName, '2', { reasonCode: 'test' });
// A repeated void changes nothing, so its note is not the reason.
await voidAt(4_000, game.packageName, '1', { note: 'again' });
await callSandbox(server, sandboxApi.voidPurchase, { path: { purchaseId: '3' }, key: game.token });

type Query = NonNullable<OperationCall['query']>;

async function listed(query: Query = {}): Promise<Void[]> {
  const pages = await everyPage((page) =>
    callOperator(server, listVoids, { query: { ...query, ...page }, key: supportKey }),
  );
  return pages.flatMap(({ voids }) => voids);
}

const idsOf = (voids: readonly Void[]) =>
  voids.map(({ packageName, purchaseId }) => `${packageName.replace('com.example.', '')}/${purchaseId}`);

const all = ['game/3', 'shop/2', 'shop/1', 'game/2', 'game/1'];

test.each([1, 2, 200])(
  'each void of all apps is listed once, newest first, with pages of %i',
  async (pageSize) => {
    expect(idsOf(await listed({ pageSize }))).toEqual(all);
  },
);

test.each<[string, Query, string[]]>([
  ['an app', { packageName: game.packageName }, ['game/3', 'game/2', 'game/1']],
  ['an instant on, that one included', { from: testNow + 2_000 }, all.slice(0, 4)],
  ['before an instant', { to: testNow + 2_000 }, ['game/1']],
  ['an app in a range', { packageName: shop.packageName, to: testNow + 3_000 }, ['shop/1']],
  ['an unknown app', { packageName: 'com.example.none' }, []],
])('the voids of %s are listed', async (_, query, ids) => {
  for (const pageSize of [1, 200]) expect(idsOf(await listed({ ...query, pageSize }))).toEqual(ids);
});

test('a void has its author, and the reason, note and ticket of the call that voided it', async () => {
  const voids = await listed();
  expect(voids.at(-1)).toMatchObject({
    purchaseId: '1',
    voidedTime: testNow + 1_000,
    voidReason: 'system',
    recordedBy: 'operator:admin',
    voidedBy: 'operator:helpdesk',
    ...why,
  });
  const [byApp, , withoutReason] = voids;
  expect(byApp).toMatchObject({ purchaseId: '3', voidedBy: 'app' });
  for (const bare of [byApp, withoutReason]) {
    for (const field of ['reasonCode', 'note', 'ticket']) expect(bare).not.toHaveProperty(field);
  }
});

test.each<[string, Query, string]>([
  ['a pageToken that no page gave', { pageToken: 'AAAA' }, 'pageToken'],
  ['an instant of 12 digits', { from: 999_999_999_999 }, 'from'],
  ['an invalid package name', { packageName: '%' }, 'packageName'],
])('%s is rejected with 400, which names the parameter', async (_, query, path) => {
  const { status, body } = await callOperator(server, listVoids, { query });
  expect([status, body.errors?.[0].path]).toEqual([400, path]);
});
