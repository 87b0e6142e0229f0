// Several servers deliver on one database: leases separate them and expire, and an unrecorded attempt is repeated.
// Changes between the rounds of a server, and an event that cannot be sent.

import { beforeEach, describe, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import { operate, type TestApp, testNow, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { writeEvents } from '../../../../test/support/stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { responding, silent } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  buy,
  deliveriesOf,
  nextHookedApp,
  openJob,
  ownMachine,
  receivedOf,
  startWebhookStage,
  statesOf,
  type Told,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { webhookLeaseMs } from '../../src/domain/clocks/leases.ts';
import { webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { removeDeliveries } from '../../src/store/webhooks/deliveries.ts';

let app: TestApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  await stage.server.clock.set(testNow);
  app = await nextHookedApp(stage);
});

const change = (sql: string) => query(stage.server.connection, sql);
const received = (count: number) =>
  waitFor(() => receivedOf(stage, app).length === count, { what: `${count} attempts` });

describe('leases', () => {
  test('a lease excludes other servers from the first attempt on', async () => {
    const withheld = Promise.withResolvers<void>();
    stage.receiver.react(() => (response) => {
      void withheld.promise.then(() => response.writeHead(204).end());
    });
    await buy(stage, app, 'P-1');
    await using first = openJob(stage.server);
    const running = first.job.runOnce();
    await received(1);
    await using other = openJob(stage.server);
    await other.job.runOnce();
    withheld.resolve();
    await running;
    expect(receivedOf(stage, app)).toHaveLength(1);
    expect(await statesOf(stage, app)).toEqual(['delivered']);
  });

  test('an attempt whose lease was lost is not recorded, and the next server repeats it', async () => {
    const withheld = Promise.withResolvers<void>();
    stage.receiver.react((_, nth) => {
      if (nth > 1) return responding(204);
      return (response) => void withheld.promise.then(() => response.writeHead(204).end());
    });
    await buy(stage, app, 'P-1');
    const running = stage.job.runOnce();
    await received(1);
    await change(
      `update webhook set lease_holder = 'other', lease_until = ${testNow} where package_name = '${app.packageName}'`,
    );
    withheld.resolve();
    await running;
    const [first, second] = receivedOf(stage, app);
    // The same poll may acquire the expired lease; the next one does.
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['delivered']);
    expect(receivedOf(stage, app).length).toBe(2);
    expect((second ?? receivedOf(stage, app)[1])?.id).toBe(first?.id);
  });

  test('a stop aborts attempts that get no response, releases the lease, and another server repeats them', async () => {
    stage.receiver.react((_, nth) => (nth === 1 ? silent : responding(204)));
    for (let n = 1; n <= 10; n += 1) await buy(stage, app, `P-${n}`);
    const other = openJob(stage.server);
    const running = other.job.runOnce();
    await received(10);
    await other[Symbol.asyncDispose]();
    await running;
    const leases = await change(
      `select lease_holder from webhook where package_name = '${app.packageName}' and lease_holder is not null`,
    );
    expect(leases).toEqual([]);
    // An aborted request does not count as an attempt.
    expect(await deliveriesOf(stage, app)).toEqual([]);
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(Array(10).fill('delivered'));
  });
});

describe('removed events', () => {
  test('an event removed before its delivery leaves a dead delivery with the reason', async () => {
    stage.receiver.react(() => responding(500));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    await change(`delete from event where package_name = '${app.packageName}'`);
    await stage.server.clock.advance(5_000);
    await stage.job.runOnce();
    expect(receivedOf(stage, app)).toHaveLength(1);
    expect(await deliveriesOf(stage, app)).toMatchObject([
      { state: 'dead', attempts: [{ httpStatus: 500 }, { failure: 'eventRemoved' }] },
    ]);
    expect(stage.told.ends).toContain('dead');
  });

  test('removing an event removes its delivery and releases the ones held behind it', async () => {
    stage.receiver.react(({ body }) => responding(body.order === 1 ? 500 : 204));
    await buy(stage, app, 'P-1');
    await voidTestPurchase(stage.server, app, 'P-1');
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['waiting', 'held']);
    await using database = openDatabase(stage.server.connection, 2);
    const { packageName } = app;
    await database.transaction({ packageName }, (transaction) =>
      removeDeliveries(transaction, { packageName, until: 1 }),
    );
    expect(await statesOf(stage, app)).toEqual(['waiting']);
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['delivered']);
    expect(receivedOf(stage, app).at(-1)?.body.order).toBe(2);
  });
});

test('an app that is disabled during a run gets no more deliveries, and the rest when it is enabled', async () => {
  // Far more than a server delivers between two polls.
  const many = 1_500;
  await writeEvents(stage.server, app, many);
  const setDisabled = (disabled: boolean) =>
    operate(stage.server, 'PATCH', `/apps/${app.packageName}`, { body: { disabled } });
  const running = stage.job.runOnce();
  await waitFor(() => receivedOf(stage, app).length > 0, { what: 'a call' });
  await setDisabled(true);
  await running;
  const before = receivedOf(stage, app).length;
  await stage.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(before);
  expect(before).toBeLessThan(many);
  await setDisabled(false);
  await stage.job.runOnce();
  const orders = receivedOf(stage, app).map(({ body }) => body.order);
  expect([orders.length, new Set(orders).size]).toEqual([many, many]);
});

test('an event that cannot be sent delays no other, and is tried again when the lease has ended', async () => {
  await writeEvents(stage.server, app, 5);
  const sender = webhookSender(ownMachine);
  let isBroken = true;
  const told: Told = { ends: [], logLines: [] };
  await using faulty = openJob(stage.server, told, {
    sender: {
      ...sender,
      send: async (request) => {
        if (isBroken && JSON.parse(request.body).order === 2) throw new Error('a bug');
        return sender.send(request);
      },
    },
  });
  await faulty.job.runOnce();
  await faulty.job.runOnce();
  expect((await deliveriesOf(stage, app)).map(({ order }) => order)).toEqual([1, 3, 4, 5]);
  expect(told.logLines).toHaveLength(1);
  isBroken = false;
  await stage.server.clock.advance(webhookLeaseMs);
  await faulty.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(5);
  expect(await statesOf(stage, app)).toEqual(Array(5).fill('delivered'));
});
