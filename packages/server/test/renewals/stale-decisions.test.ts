// Time passes between the decision to charge and the request, because the server is suspended or overloaded. In the
// meantime the buyer may have left, or the period may be too old to be charged.

import { beforeEach, expect, test } from 'vitest';
import { createTestApp, operate, type TestApp, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  chargeableMs,
  eventsOf,
  firstDue,
  keyOf,
  openJobWith,
  passTo,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { openSecondConnection, waitedFor } from '../../../../test/support/store/second-connection.ts';
import type { PaymentGateway } from '../../src/charging/gateways/payment-gateway.ts';

const minuteMs = 60_000;
const sendWithinMs = 10_000;
const leaseMs = 20_000;

let apps = 0;
let app: TestApp;
let ids: readonly [string, string];

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  await stage.clock.set(stageStart);
  apps += 1;
  app = await createTestApp(stage.server, `com.stale.app${apps}`);
  ids = [`a-${apps}`, `b-${apps}`];
});

const sentKeys = () =>
  stage.gateway.orders.flatMap((order) =>
    order.packageName === app.packageName ? [order.idempotencyKey] : [],
  );

const openAttempts = () =>
  query(
    stage.server.connection,
    `select idempotency_key as key, next_try_time is not null as "isRetried" from renewal_attempt
      where package_name = '${app.packageName}' and outcome is null`,
  );

/** Both charges begin together, and this much time passes before the second is sent; returns the keys of those sent. */
async function chargeBoth(passedMs: number): Promise<readonly string[]> {
  for (const id of ids) await subscribe({ ...stage, app }, id);
  const sent: string[] = [];
  const gateway: PaymentGateway = {
    async charge({ idempotencyKey }) {
      sent.push(idempotencyKey);
      await stage.clock.set(firstDue + passedMs);
      return { outcome: 'paid' };
    },
  };
  await using opened = openJobWith(stage.server, { environment: 'production', gateway });
  await stage.clock.set(firstDue);
  await opened.job.runOnce();
  return sent;
}

test('a charge is sent up to 10 seconds after its decision, and later only by a new decision with the same key', async () => {
  const [first, second] = ids.map((id) => keyOf(app, id, 1, 1));
  expect(await chargeBoth(sendWithinMs + 1)).toEqual([first]);
  expect(await openAttempts()).toEqual([{ key: second, isRetried: true }]);
  await passTo(stage, firstDue + leaseMs);
  expect(sentKeys()).toEqual([second]);
  expect(await openAttempts()).toEqual([]);
  for (const id of ids) expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a charge that was not sent in time is never sent once the buyer has left', async () => {
  const [first, second] = ids.map((id) => keyOf(app, id, 1, 1));
  expect(await chargeBoth(leaseMs - 1)).toEqual([first]);
  const cancel = `/apps/${app.packageName}/subscriptions/${ids[1]}/cancel`;
  const { status } = await operate(stage.server, 'POST', cancel, { body: { reason: 'customer' } });
  expect(status).toBe(200);
  await passTo(stage, firstDue + leaseMs + 10 * minuteMs + 1);
  expect(sentKeys()).toEqual([]);
  expect(await openAttempts()).toEqual([{ key: second, isRetried: false }]);
});

test('a decision that waited in the database until two thirds of the period were over sends nothing, and its subscription expires', async () => {
  const [id] = ids;
  await subscribe({ ...stage, app }, id);
  await stage.clock.set(firstDue + chargeableMs);
  await using second = await openSecondConnection(stage.server.connection);
  // The transaction that begins the charge has decided, and waits for this row.
  await second.run(
    `insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
      begun_time, tries, made_by, request_id)
    values ($1, $2, 1, 1, 'key', $3, $3, 1, 'job:renewals', 'r')`,
    [app.packageName, id, firstDue],
  );
  const renewing = stage.job.runOnce();
  await waitedFor(second, renewing);
  await stage.clock.advance(leaseMs);
  await second.client.query('rollback');
  await renewing;
  await stage.job.runOnce();
  expect(sentKeys()).toEqual([]);
  expect(await openAttempts()).toEqual([{ key: keyOf(app, id, 1, 1), isRetried: false }]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired']);
});
