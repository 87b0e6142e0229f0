// A pause between the moment in which a server finds a due subscription and the beginning of its charge, and one while
// the transaction that begins the charge is open.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { beginBatch } from '../../src/operations/subscriptions/renewal/begin-renewals.ts';
import { settlingOptions } from '../../src/operations/subscriptions/renewal/renewal-options.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { listDueRenewalsOfApp } from '../../src/store/subscriptions/due-renewals.ts';
import { openSecondConnection, waitedFor, waitingStatements } from '../attack/second-connection.ts';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { openDatabase } from '../store/open-database.ts';
import { firstDue, graceMs, nextSubscription, secondDue, startRenewalStage } from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());
const { server, app, clock } = stage;
const { packageName } = app;
const database = await useForFile(openDatabase(server.connection, 2));

test('a charge that was found due before a pause does not begin during the pause', async () => {
  await nextSubscription(stage);
  await clock.set(firstDue);
  const due = await listDueRenewalsOfApp(database, {
    packageName,
    until: firstDue,
    unleasedAt: null,
    limit: 9,
  });
  expect(due).toHaveLength(1);
  const settling = settlingOptions({
    database,
    environment: 'production',
    installationId: Buffer.alloc(16),
    graceMs,
    clock: new StoreClock(clock, 'production'),
    randomness: secureRandomness,
    log: pino({ level: 'silent' }),
    onConflict: () => undefined,
  });
  const options = { ...settling, gateway: { charge: () => expect.fail('nothing is charged') } };
  const batch = { packageName, author: { madeBy: 'test', requestId: 'r' }, due };
  await callOperator(server, pauseRenewals, { body: {} });
  expect(await beginBatch(options, batch)).toEqual([]);
  await callOperator(server, resumeRenewals, { body: {} });
  expect(await beginBatch(options, batch)).toMatchObject([{ work: 'attempt' }]);
});

test.each([
  { what: 'all apps', body: {} },
  { what: 'an app', body: { packageName } },
])(
  'a pause of $what is answered when no transaction that begins charges has read the state before it, and none begins after',
  async ({ body }) => {
    const { gateway, job } = stage;
    const firstPurchaseId = await nextSubscription(stage);
    await clock.set(firstDue);
    const attempts = async () => {
      const text = 'select from renewal_attempt where first_purchase_id = $1';
      return (await query(server.connection, text, [firstPurchaseId])).length;
    };
    const charges = () => gateway.orders.filter((order) => order.firstPurchaseId === firstPurchaseId).length;
    await using second = await openSecondConnection(server.connection);
    // The transaction that begins the charge has read the state, and waits for this row.
    await second.run(
      `insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
        begun_time, tries, made_by, request_id)
      values ($1, $2, 1, 1, 'key', $3, $3, 1, 'job:renewals', 'r')`,
      [packageName, firstPurchaseId, firstDue],
    );
    const renewing = job.runOnce();
    await waitedFor(second, renewing);
    let isAnswered = false;
    const pausing = callOperator(server, pauseRenewals, { body }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await waitingStatements(server.connection, 2);
    expect([isAnswered, await attempts(), charges()]).toEqual([false, 0, 0]);
    await second.client.query('rollback');
    expect((await pausing).status).toBe(200);
    expect(await attempts()).toBe(1);
    await renewing;
    expect(charges()).toBe(1);
    await clock.set(secondDue);
    await job.runOnce();
    expect([await attempts(), charges()]).toEqual([1, 1]);
    await callOperator(server, resumeRenewals, { body });
  },
);
