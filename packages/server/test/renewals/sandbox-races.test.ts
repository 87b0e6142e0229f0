// Resets and advances of sandbox apps during charges of the renewal job.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { batchMax } from '../../src/operations/subscriptions/renewal/renew-batch.ts';
import { advance, eventsOf, freeze, historyOf } from '../app-clock/clock-calls.ts';
import { openSecondConnection, waitingStatements } from '../attack/second-connection.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, recordTestPurchase, type TestApp, testNow, useTestServer } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { isCluster } from '../test-databases.ts';
import { waitFor } from '../wait-for.ts';
import { heldGateway } from './held-gateway.ts';
import { dayMs, logInto, openJobWith } from './renewal-stage.ts';

/** A distributed table cannot have the triggers that these tests delay or disturb writes with. */
const onOnePostgres = test.skipIf(isCluster);

const { reset } = sandboxApi;

let app: TestApp;
let apps = 0;
const logLines: string[] = [];

const server = await useTestServer();
// The job of another server on the same database, whose charges get their responses when the test says so.
const gateway = heldGateway();
const other = openJobWith(server, { gateway, environment: 'sandbox', log: logInto(logLines) });
afterAll(async () => {
  await other[Symbol.asyncDispose]();
});
beforeEach(async () => {
  apps += 1;
  app = await createTestApp(server, `com.races.app${apps}`);
  await freeze(server, app);
});

/** Subscriptions whose second month is due now. */
async function subscribeDue(...ids: readonly string[]): Promise<void> {
  for (const purchaseId of ids) {
    const purchaseTime = testNow - 28 * dayMs;
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId, purchaseTime });
  }
}

/** Lets the job of the other server charge what is due, and waits until the charges are in flight. */
async function chargesOut(count: number): Promise<{ readonly ended: Promise<number> }> {
  const ended = other.job.runOnce();
  await waitFor(() => gateway.waiting.size === count, { what: 'charges' });
  return { ended };
}

const resetApp = () => callSandbox(server, reset, { key: app.token });
const told = async () => (await eventsOf(server.connection, app.packageName)).map(({ type }) => type);

test('an app that is reset during a charge stays empty when the charge is paid', async () => {
  await subscribeDue('S-1', 'S-2');
  const { ended } = await chargesOut(2);
  expect((await resetApp()).status).toBe(204);
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(await historyOf(server.connection, app.packageName)).toEqual({
    events: [],
    months: [],
    subscriptions: [],
  });
  expect(logLines).toEqual([]);
});

test('a subscription recorded again after a reset is not charged for the previous one', async () => {
  await advance(server, app, { by: 'P1Y' });
  await subscribeDue('S-1');
  const { ended } = await chargesOut(1);
  expect((await resetApp()).status).toBe(204);
  // Now in real time, a year earlier, so its second month is due in a month.
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  const asked = gateway.asked.length;
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(gateway.asked).toHaveLength(asked);
  expect(await told()).toEqual(['subscription.started']);
  expect(logLines).toEqual([]);
});

onOnePostgres('a reset during the write of a month waits for it, and neither fails', async () => {
  await subscribeDue('S-1');
  await query(
    server.connection,
    `create function slow_month() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger slow_month before insert on purchase for each row
      when (new.package_name = '${app.packageName}') execute function slow_month()`,
  );
  await using second = await openSecondConnection(server.connection);
  await second.run('select pg_advisory_xact_lock(1)');
  const { ended } = await chargesOut(1);
  gateway.answer({ outcome: 'paid' });
  await waitingStatements(server.connection, 1);
  const resetting = resetApp();
  await waitingStatements(server.connection, 2);
  await second.commit();
  expect((await resetting).status).toBe(204);
  await ended;
  expect(logLines).toEqual([]);
  expect(await told()).toEqual([]);
});

test('an advance takes over charges in flight, and their later responses are ignored', async () => {
  await subscribeDue('S-1');
  const { ended } = await chargesOut(1);
  const { happened } = await advance(server, app, { by: 'P1D' });
  expect(happened.map(({ type }: { type: string }) => type)).toEqual(['subscription.renewed']);
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(await told()).toEqual(['subscription.started', 'subscription.renewed']);
  const { months } = await historyOf(server.connection, app.packageName);
  expect(months).toHaveLength(2);
  expect(logLines).toEqual([]);
});

test('a running job leaves unstarted work to an advance', async () => {
  // One of two batches is in flight.
  await subscribeDue(...Array.from({ length: batchMax + 4 }, (_, index) => `S-${index}`));
  const { ended } = await chargesOut(batchMax);
  const { packageName } = app;
  await query(
    server.connection,
    `update app_clock set lease_holder = 'another', lease_until = ${testNow + 60_000}
      where package_name = '${packageName}'`,
  );
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(new Set(await told())).toEqual(new Set(['subscription.started']));
  const attempts = await query(
    server.connection,
    `select outcome from renewal_attempt where package_name = '${packageName}'`,
  );
  expect(attempts).toEqual(Array(batchMax).fill({ outcome: null }));
  expect(logLines).toEqual([]);
});
