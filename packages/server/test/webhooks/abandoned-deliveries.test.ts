// Open deliveries are abandoned when their webhook is deleted, even while their events are being removed.

import { beforeEach, expect, test } from 'vitest';
import { abandonAllDeliveries } from '../../src/operations/webhooks/abandon-deliveries.ts';
import { lockApp } from '../../src/store/apps/apps.ts';
import { removeDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { waitingStatements } from '../attack/second-connection.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, useForFile, useTestServer } from '../harness.ts';
import { openDatabase } from '../store/open-database.ts';

const packageName = 'com.example.left';
const open = 4_000;

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 10));
await createTestApp(server, packageName);
beforeEach(async () => {
  await query(server.connection, 'truncate webhook, webhook_delivery');
  await query(
    server.connection,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, subject, state,
      due_time, delivered_time, schedule_attempts, attempts)
    select $1, n, n::text, 'purchase.recorded', n, n::text,
      case when n > $2 then 'delivered' when n % 2 = 0 then 'waiting' else 'held' end,
      case when n <= $2 and n % 2 = 0 then n end, case when n > $2 then n end, 0, '[]'
    from generate_series(1, $2::bigint + 1000) as n`,
    [packageName, open],
  );
});

const countsByState = async (): Promise<object> => {
  const rows = await query(
    server.connection,
    'select state, count(*)::integer as count from webhook_delivery group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};

test('every open delivery up to the given order becomes dead, and no other changes', async () => {
  await abandonAllDeliveries(database, { packageName, until: open - 1_000 });
  expect(await countsByState()).toEqual({ dead: 3_000, waiting: 500, held: 500, delivered: 1_000 });
});

test('deliveries of a webhook that was created in the meantime stay open', async () => {
  await query(
    server.connection,
    `insert into webhook (package_name, url, secret, cursor_order, created_at, updated_at)
    values ($1, 'https://example.com/hooks', 'secret', $2, 1, 1)`,
    [packageName, open],
  );
  await abandonAllDeliveries(database, { packageName, until: open });
  expect(await countsByState()).toEqual({ waiting: 2_000, held: 2_000, delivered: 1_000 });
});

test('deliveries whose events are being removed are not abandoned', async () => {
  let givenUp: Promise<void> | undefined;
  await database.transaction({ packageName, record: 'cleaning' }, async (transaction) => {
    await lockApp(transaction, packageName);
    givenUp = abandonAllDeliveries(database, { packageName, until: open });
    await waitingStatements(server.connection, 1);
    await removeDeliveries(transaction, { packageName, until: open });
  });
  await givenUp;
  expect(await countsByState()).toEqual({ delivered: 1_000 });
});
