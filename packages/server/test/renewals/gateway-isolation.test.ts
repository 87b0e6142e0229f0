// A gateway that is slow, silent or invalid for some apps does not delay the others.

import { beforeEach, expect, test } from 'vitest';
import { batchesAtOnceMax, silentAtOnceMax } from '../../src/jobs/subscriptions/renewal-job.ts';
import type {
  ChargeAnswer,
  PaymentGateway,
} from '../../src/operations/subscriptions/gateways/payment-gateway.ts';
import { batchMax } from '../../src/operations/subscriptions/renewal/renew-batch.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, recordTestPurchase, type TestApp, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { heldGateway } from './held-gateway.ts';
import {
  dayMs,
  firstDue,
  keyOf,
  logInto,
  openJobWith,
  passTo,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from './renewal-stage.ts';

let apps = 0;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  await stage.clock.set(stageStart);
});

async function appWith(...ids: readonly string[]): Promise<TestApp> {
  apps += 1;
  const app = await createTestApp(stage.server, `com.isolated.app${apps}`);
  for (const purchaseId of ids) {
    await recordTestPurchase(stage.server, app, { productId: 'monthly', purchaseId });
  }
  return app;
}

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `S-${index}`);

async function monthsOf({ packageName }: TestApp): Promise<number> {
  const sql = `select count(*)::int as months from purchase where package_name = '${packageName}'`;
  return Number((await query(stage.server.connection, sql))[0]?.['months']);
}

/** A job whose gateway responds for some apps only. */
function openPartlyAnswered(isAnswered: (packageName: string) => boolean) {
  const held = heldGateway();
  const gateway: PaymentGateway = {
    charge: (charge, signal) =>
      isAnswered(charge.packageName)
        ? Promise.resolve<ChargeAnswer>({ outcome: 'paid' })
        : held.charge(charge, signal),
  };
  const log = logInto([]);
  return { held, ...openJobWith(stage.server, { gateway, environment: 'production', log }) };
}

test('an app whose charges get no response delays no other', async () => {
  await appWith(...idsOf(20));
  const quick = await appWith(...idsOf(20));
  await using one = openPartlyAnswered((packageName) => packageName === quick.packageName);
  await stage.clock.set(firstDue);
  one.job.start();
  await waitFor(async () => (await monthsOf(quick)) === 40, { what: 'the quick app' });
  expect(one.held.asked).toHaveLength(20);
  one.held.answer({ outcome: 'unknown', status: 503, reason: 'status 503' });
});

test('a subscription that cannot be written blocks no other of its app and is charged once', async () => {
  const ids = ['P-1', 'P-2', 'P-3', 'P-4'];
  for (const id of ids) await subscribe(stage, id);
  const setZone = (zone: string) =>
    query(
      stage.server.connection,
      `update subscription set time_zone = '${zone}' where first_purchase_id = 'P-2'`,
    );
  // A time zone that this server does not know.
  await setZone('Mars/Olympus_Mons');
  stage.told.logLines.length = 0;
  await passTo(stage, firstDue);
  const months = async () =>
    Promise.all(ids.map(async (id) => (await shownSubscription(stage, id)).months.length));
  expect(await months()).toEqual([2, 1, 2, 2]);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, app: stage.app.packageName, msg: 'renewals could not be written' }),
  ]);
  await setZone('UTC');
  await passTo(stage, firstDue + 20_000);
  expect(await months()).toEqual([2, 2, 2, 2]);
  expect(stage.gateway.taken.get(keyOf(stage.app, 'P-2', 1, 1))).toBe(1);
});

/** Only what a look and a charge need: no answer is ever written for them. */
async function insertDeadApp(packageName: string, count: number): Promise<void> {
  const start = `${stageStart - dayMs}`;
  await query(
    stage.server.connection,
    `insert into app (package_name, client_id, app_number, client_secret_hash, created_at)
      select '${packageName}', '${packageName}', max(app_number) + 1, '', ${start} from app;
    insert into app_counter (package_name) values ('${packageName}');
    insert into subscription (package_name, first_purchase_id, product_id, first_start, time_zone, anchor_time,
        anchor_index, price, currency, developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index,
        last_purchase_id, last_start_time)
      select '${packageName}', 'D-' || n, 'monthly', ${start}, 'UTC', ${start}, -1, 499, 'EUR', '', true, ${firstDue - dayMs},
        ${firstDue - dayMs}, 0, 'D-' || n, ${start} from generate_series(1, ${count}) n`,
  );
}

test('overdue apps without responses delay no other app, and each of them has its turn', async () => {
  const dead = Array.from({ length: 2 * batchesAtOnceMax }, (_, index) => `com.dead.app${index + 10}`);
  for (const packageName of dead) await insertDeadApp(packageName, 2 * batchMax);
  await insertDeadApp('com.dead.large', 50_001);
  const quick = await appWith('S-1');
  const charged = new Map<string, number>();
  const held = heldGateway();
  const gateway: PaymentGateway = {
    async charge(charge, signal) {
      const { packageName } = charge;
      if (!packageName.startsWith('com.dead.')) return { outcome: 'paid' };
      charged.set(packageName, (charged.get(packageName) ?? 0) + 1);
      const isFirst = (charged.get(packageName) ?? 0) <= batchMax;
      return isFirst ? { outcome: 'unknown', reason: 'none' } : held.charge(charge, signal);
    },
  };
  await using one = openJobWith(stage.server, { gateway, environment: 'production' });
  await stage.clock.set(firstDue);
  one.job.start();
  await waitFor(async () => (await monthsOf(quick)) === 2, { what: 'the quick app' });
  const apps = () => new Set([...held.waiting.keys()].map((key) => key.split('/')[1]));
  const isFull = () => held.waiting.size === silentAtOnceMax * batchMax;
  await waitFor(isFull, { what: 'the batches that such apps may have' });
  const first = apps();
  held.answer({ outcome: 'unknown', reason: 'none' });
  await waitFor(isFull, { what: 'the batches of the next apps' });
  expect([...apps()].filter((name) => first.has(name))).toEqual([]);
});
