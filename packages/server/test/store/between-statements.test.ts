// Commits of another server between two statements of a call, which a second connection blocks there; and calls and jobs that
// need rows of the same app, which never deadlock.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { reset } from '@opentill/contract/operator-api/reset.ts';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryConsume, tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { countRows } from '../../../../test/support/stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import {
  openSecondConnection,
  waitedFor,
  waitingStatements,
} from '../../../../test/support/store/second-connection.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { CleaningJob } from '../../src/jobs/cleaning-job.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { advance, freeze, setClock, tryAdvance } from '../app-clock/clock-calls.ts';

let app: TestApp;

const server = await useTestServer();

beforeEach(async () => {
  app = await newTestApp(server);
});

const resetApp = () => callOperator(server, reset, { path: app });

/** Counts the rows of the app in a table. */
const count = (table: string) => countRows(server, table, app);

describe('recordings between statements', () => {
  const body = { productId: 'coins', orderId: 'order-1', price: 5 };
  const insertion = `insert into purchase (package_name, purchase_id, product_id, order_id, purchase_time,
    developer_payload, price, currency) values ($1, 'P-1', 'coins', 'order-1', $2, '', $3, 'EUR')`;

  test.each([
    [5, 200],
    [6, 409],
  ])('of an order that another server records at a price of %i returns %i', async (price, status) => {
    await using second = await openSecondConnection(server.connection);
    await second.run(insertion, [app.packageName, testNow, price]);
    const recording = operate(server, 'POST', `/apps/${app.packageName}/purchases`, { body });
    await waitedFor(second, recording);
    await second.commit();
    expect((await recording).status).toBe(status);
    expect(await count('purchase')).toBe(1);
  });
});

describe('resets between statements', () => {
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

  const cancel = () => callOperator(server, cancelSubscription, { path: { ...app, firstPurchaseId: 'S-1' } });

  test.each([
    ['a void', () => tryVoid(server, app, 'S-1'), 404],
    ['a cancel', cancel, 404],
    ['a consumption', () => tryConsume(server, app, 'P-1'), 409],
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

/** The job of another server. */
const database = await useForFile(openDatabase(server.connection, 6));

const putWebhook = () =>
  operate(server, 'PUT', `/apps/${app.packageName}/webhook`, { body: { url: 'https://example.com/hooks' } });

describe('resets during changes and jobs', () => {
  test('a reset waits for the change of a webhook created in the meantime, and then succeeds', async () => {
    const { packageName } = app;
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await using holding = await openSecondConnection(server.connection);
    await holding.run('select from purchase where package_name = $1 for update', [packageName]);
    const resetting = resetApp();
    await waitedFor(holding, resetting);
    expect((await putWebhook()).status).toBe(201);
    await recordTestPurchase(server, app, { purchaseId: 'P-2' });
    await using changing = await openSecondConnection(server.connection);
    await changing.run('select from webhook where package_name = $1 for update', [packageName]);
    await holding.commit();
    await waitedFor(changing, resetting);
    await changing.run('update app_counter set event_order = event_order + 1 where package_name = $1', [
      packageName,
    ]);
    await changing.commit();
    expect((await resetting).status).toBe(204);
    expect(await count('purchase')).toBe(0);
  });

  test('a reset waits for the cleaning job to remove aged events, and then succeeds', async () => {
    const { packageName } = app;
    await putWebhook();
    for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, app, { purchaseId });
    await query(server.connection, 'update event set written_at = 0 where package_name = $1', [packageName]);
    const clock = new TestClock(testNow);
    const log = pino({ level: 'silent' });
    const storeClock = new StoreClock(clock, 'sandbox');
    await using job = new CleaningJob({
      database,
      clock: storeClock,
      log,
      retentionDays: 30,
      waitsForMonths: false,
    });
    await using second = await openSecondConnection(server.connection);
    await second.run('select from webhook where package_name = $1 for update', [packageName]);
    const cleaning = job.runOnce();
    await waitedFor(second, cleaning);
    const resetting = resetApp();
    await waitingStatements(server.connection, 2);
    await second.commit();
    await cleaning;
    expect((await resetting).status).toBe(204);
  });
});
