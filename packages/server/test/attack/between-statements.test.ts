// Commits of another server between two statements of a call, which a second connection blocks there.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { advance, freeze, setClock, tryAdvance } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
import { eventPage } from '../events/feed-calls.ts';
import {
  callPurchaseApi,
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator, callSandbox } from '../operator-api/checked-call.ts';
import { tryVoid } from '../purchase-changes.ts';
import { insertBlocks } from '../renewals/subscription-block.ts';
import { openSecondConnection, waitedFor } from './second-connection.ts';

const { reset } = sandboxApi;

let app: TestApp;

const server = await useTestServer();

beforeEach(async () => {
  app = await newTestApp(server);
});

const voidOne = (purchaseId: string) => tryVoid(server, app, purchaseId);

const typesOfEvents = async () => (await eventPage(server, app)).events.map(({ type }) => type);

/** Counts the rows of the app in a table. */
async function count(table: string): Promise<number> {
  const text = `select count(*)::int as rows from ${table} where package_name = $1`;
  return (await query(server.connection, text, [app.packageName]))[0]?.['rows'];
}

describe('voids between statements', () => {
  test('a void of a subscription that is being recorded is answered with 404 and changes nothing', async () => {
    await using second = await openSecondConnection(server.connection);
    // This blocks row locks, but not reads.
    await second.run('lock table purchase in exclusive mode');
    const voiding = voidOne('S-1');
    await waitedFor(second, voiding);
    const block = { packageName: app.packageName, idPrefix: 'S-', count: 1, apartMs: 1 };
    await insertBlocks(second.client, [{ ...block, lastDue: testNow + 28 * 86_400_000 }]);
    expect((await voiding).status).toBe(404);
    expect(await typesOfEvents()).toEqual(['subscription.started']);
    expect((await voidOne('S-1')).body).toMatchObject({ purchaseState: 1 });
    expect(await typesOfEvents()).toEqual([
      'subscription.started',
      'purchase.voided',
      'subscription.terminated',
    ]);
  });
});

describe('recordings between statements', () => {
  const body = { productId: 'coins', orderId: 'order-1', price: 5 };
  const insertion = `insert into purchase (package_name, purchase_id, product_id, order_id, purchase_time,
    developer_payload, price, currency) values ($1, 'P-1', 'coins', 'order-1', $2, '', $3, 'EUR')`;

  test.each([
    [5, 200],
    [6, 409],
  ])(
    'of an order that another server records at a price of %i is answered with %i',
    async (price, status) => {
      await using second = await openSecondConnection(server.connection);
      await second.run(insertion, [app.packageName, testNow, price]);
      const recording = operate(server, 'POST', `/apps/${app.packageName}/purchases`, { body });
      await waitedFor(second, recording);
      await second.commit();
      expect((await recording).status).toBe(status);
      expect(await count('purchase')).toBe(1);
    },
  );
});

describe('resets between statements', () => {
  /** On a busy machine the call may be blocked for too long and get 503; it is then retried. */
  const resetApp = async () => {
    for (;;) {
      const answer = await callSandbox(server, reset, { key: app.token });
      if (answer.status !== 503) return answer;
    }
  };

  /** A subscription with a renewal attempt, whose row is locked after those of subscriptions. */
  async function renewOnce(): Promise<void> {
    await freeze(server, app);
    await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly' });
    await advance(server, app, { by: 'P1M' });
    expect(await count('renewal_attempt')).toBe(1);
  }

  test('a reset removes everything that is recorded while it runs', async () => {
    await renewOnce();
    await using second = await openSecondConnection(server.connection);
    await second.run('select from renewal_attempt where package_name = $1 for update', [app.packageName]);
    const resetting = resetApp();
    await waitedFor(second, resetting);
    await recordTestPurchase(server, app, { purchaseId: 'S-2', productId: 'monthly' });
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await second.commit();
    expect((await resetting).status).toBe(204);
    for (const table of ['subscription', 'purchase', 'event'])
      expect([table, await count(table)]).toEqual([table, 0]);
  });

  test('a reset starts over if a purchase recorded in the meantime is locked', async () => {
    await renewOnce();
    await using second = await openSecondConnection(server.connection);
    await using third = await openSecondConnection(server.connection);
    // Events are deleted last, after the purchases.
    await second.run('select from event where package_name = $1 for update', [app.packageName]);
    const resetting = resetApp();
    await waitedFor(second, resetting);
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    const own = [app.packageName, 'P-1'];
    await third.run('select from purchase where package_name = $1 and purchase_id = $2 for update', own);
    await second.commit();
    await waitedFor(third, resetting);
    expect(await count('subscription')).toBe(1);
    await third.commit();
    expect((await resetting).status).toBe(204);
    for (const table of ['subscription', 'purchase', 'event']) {
      expect([table, await count(table)]).toEqual([table, 0]);
    }
  });

  test('a purchase committed during a reset is removed or kept as a whole', async () => {
    await renewOnce();
    await using second = await openSecondConnection(server.connection);
    await second.run('select from app_counter where package_name = $1 for update', [app.packageName]);
    const recording = recordTestPurchase(server, app, { purchaseId: 'S-2', productId: 'monthly' });
    await waitedFor(second, recording);
    const resetting = resetApp();
    await second.commit();
    expect((await resetting).status).toBe(204);
    await recording;
    // Either of the two may have been first.
    const left = await Promise.all(['subscription', 'purchase', 'event'].map(count));
    expect([
      [0, 0, 0],
      [1, 1, 1],
    ]).toContainEqual(left);
  });

  const consume = () =>
    callPurchaseApi(server, { token: app.token, method: 'POST', path: `/consume/P-1/${app.packageName}` });
  const cancel = () => callOperator(server, cancelSubscription, { path: { ...app, firstPurchaseId: 'S-1' } });

  test.each([
    ['a void', () => voidOne('S-1'), 404],
    ['a cancel', cancel, 404],
    ['a consumption', consume, 409],
    ['an advance', () => tryAdvance(server, app, { by: 'PT1S' }), 200],
    ['the clock', () => setClock(server, app, { mode: 'frozen' }), 200],
  ])('a call overtaken by a reset sees the state after it: %s', async (_what, call, status) => {
    await freeze(server, app);
    await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly' });
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await using second = await openSecondConnection(server.connection);
    for (const table of ['subscription', 'purchase', 'event', 'app_clock']) {
      await second.run(`delete from ${table} where package_name = $1`, [app.packageName]);
    }
    const calling = call();
    await waitedFor(second, calling);
    await second.commit();
    expect((await calling).status).toBe(status);
  });
});
