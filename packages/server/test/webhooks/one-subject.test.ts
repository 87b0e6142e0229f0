// One purchase with far more events than usual, whose first one is not delivered.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { expect, test } from 'vitest';
import { freeze } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
import { testNow, useForFile } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { answering } from './test-receiver.ts';
import { createHookedApp, deliveriesOf, type HookedApp, startWebhookStage } from './webhook-stage.ts';

const { deleteWebhook } = sandboxApi;

/** Their pairs are too many for one statement. */
const heldCount = 20_000;

const stage = await useForFile(startWebhookStage());

/** An app with one due delivery and all others held behind it. */
async function createHeldApp(packageName: string): Promise<HookedApp> {
  const app = await createHookedApp(stage, packageName);
  await freeze(stage.server, app);
  const values = [app.packageName, heldCount, testNow];
  const made = [
    `update app_counter set event_order = $2 where package_name = $1 and $3::bigint > 0`,
    `update webhook set cursor_order = $2 where package_name = $1 and $3::bigint > 0`,
    `insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
      select $1, n, 'purchase.consumed', $3, 'P-1', 'coins', 'app', 'r' from generate_series(1, $2::integer) n`,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, purchase_id, subject,
        state, due_time, schedule_attempts, attempts)
      select $1, n, 'evt_' || n || '_AAAAAAAAAAAAAAAA', 'purchase.consumed', $3, 'P-1', 'P-1',
        case n when 1 then 'waiting' else 'held' end, case n when 1 then $3::bigint end, 0, '[]'
      from generate_series(1, $2::integer) n`,
  ];
  for (const text of made) await query(stage.server.connection, text, values);
  // Autovacuum does this after a while.
  await query(stage.server.connection, 'analyze webhook_delivery');
  return app;
}

test('20,000 events held behind one delivery of their purchase are delivered one by one', async () => {
  const app = await createHeldApp('com.example.many');
  stage.receiver.react(({ body }) => answering(body.order <= 2 ? 204 : 500));
  await stage.job.runOnce();
  expect(stage.receiver.received.map(({ body }) => body.order)).toEqual([1, 2, 3]);
  expect(await deliveriesOf(stage, app, { state: 'delivered' })).toMatchObject([{ order: 1 }, { order: 2 }]);
  expect(await deliveriesOf(stage, app, { state: 'waiting' })).toMatchObject([{ order: 3 }]);
  expect(stage.told.logLines).toEqual([]);
});

test('deleting a webhook makes all of its 20,000 open deliveries dead, and changes no delivered one', async () => {
  const app = await createHeldApp('com.example.deleted');
  stage.receiver.react(({ body }) => answering(body.order === 1 ? 204 : 500));
  await stage.job.runOnce();
  expect((await callSandbox(stage.server, deleteWebhook, { key: app.token })).status).toBe(204);
  const states = `select state, count(*)::integer as count from webhook_delivery where package_name = $1
    group by state order by state`;
  const found = await query(stage.server.connection, states, [app.packageName]);
  expect(found).toEqual([
    { state: 'dead', count: heldCount - 1 },
    { state: 'delivered', count: 1 },
  ]);
});
