// A gateway that is slow, silent or invalid for some apps does not delay the others.

import { beforeEach, expect, test } from 'vitest';
import { batchesAtOnceMax } from '../../src/jobs/subscriptions/renewal-job.ts';
import type { PaymentGateway } from '../../src/operations/subscriptions/gateways/payment-gateway.ts';
import { batchMax } from '../../src/operations/subscriptions/renewal/renew-batch.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, recordTestPurchase, type TestApp, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { heldGateway } from './held-gateway.ts';
import {
  dayMs,
  firstDue,
  keyOf,
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

async function monthsOf({ packageName }: TestApp): Promise<number> {
  const sql = `select count(*)::int as months from purchase where package_name = '${packageName}'`;
  return Number((await query(stage.server.connection, sql))[0]?.['months']);
}

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

test('overdue apps whose charges get no response delay no other app', async () => {
  const dead = Array.from({ length: batchesAtOnceMax }, (_, index) => `com.dead.app${index}`);
  for (const packageName of dead) await insertDeadApp(packageName, 2 * batchMax);
  const quick = await appWith('S-1');
  const charged = new Map<string, number>();
  const held = heldGateway();
  const gateway: PaymentGateway = {
    async charge(charge, signal) {
      const { packageName } = charge;
      if (!packageName.startsWith('com.dead.')) return { outcome: 'paid' };
      const count = (charged.get(packageName) ?? 0) + 1;
      charged.set(packageName, count);
      return count <= batchMax ? { outcome: 'unknown', reason: 'none' } : held.charge(charge, signal);
    },
  };
  await using one = openJobWith(stage.server, { gateway, environment: 'production' });
  await stage.clock.set(firstDue);
  one.job.start();
  await waitFor(async () => (await monthsOf(quick)) === 2, { what: 'the quick app' });
});
