// Commits of another server between two statements of a call, which a second connection blocks there.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { advance, freeze, setClock, tryAdvance } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
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
import { openSecondConnection, waitedFor } from './second-connection.ts';

const { reset } = sandboxApi;

let app: TestApp;

const server = await useTestServer();

beforeEach(async () => {
  app = await newTestApp(server);
});

const voidOne = (purchaseId: string) => tryVoid(server, app, purchaseId);

/** Counts the rows of the app in a table. */
async function count(table: string): Promise<number> {
  const text = `select count(*)::int as rows from ${table} where package_name = $1`;
  return (await query(server.connection, text, [app.packageName]))[0]?.['rows'];
}

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
