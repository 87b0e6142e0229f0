// A server that is killed or stopped during an advance: repeated with the same `to`, the advance continues, and nothing is
// lost or duplicated.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseEnv, freshDatabase, operate, type TestDatabase } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  type OpentillProcess,
  type ServerAddress,
  startOpentill,
} from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { insertSubscriptions } from '../renewals/due-subscriptions.ts';
import { historyOf } from './clock-calls.ts';

const packageName = 'com.killed.game';
const subscriptionCount = 300;
const periodCount = 12;
const renewalCount = subscriptionCount * periodCount;

/** The app's clock is frozen here; each subscription starts at another instant of the month before. */
const start = Date.UTC(2026, 2, 1);
const end = Date.UTC(2027, 2, 1);

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

type RunningProcess = OpentillProcess & ServerAddress;

async function startServer(): Promise<RunningProcess> {
  await using starting = new AsyncDisposableStack();
  const server = starting.use(startOpentill({ env: databaseEnv(database.connection) }));
  const address = await server.ready();
  starting.move();
  return { ...server, ...address };
}

async function fill(server: ServerAddress): Promise<void> {
  const created = await operate(server, 'POST', '/apps', { body: { packageName } });
  expect(created.status).toBe(201);
  const begin = `${start} - n::bigint * 7654321`;
  const expiry = `(extract(epoch from to_timestamp((${begin}) / 1000.0) at time zone 'UTC' + interval '1 month')
    * 1000)::bigint`;
  await query(
    database.connection,
    `insert into app_clock (package_name, mode, real_time, app_time)
      values ('${packageName}', 'frozen', ${start}, ${start});
    insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price,
        currency, first_purchase_id, period_index, start_time, expiry_time)
      select '${packageName}', 'S-' || n, 'monthly', ${begin}, '', 499, 'EUR', 'S-' || n, 0, ${begin}, ${expiry}
      from generate_series(1, ${subscriptionCount}) n`,
  );
  const due = { count: subscriptionCount, start: begin, due: expiry };
  await insertSubscriptions(database.connection, packageName, due);
}

async function countOf(sql: string): Promise<number> {
  return Number((await query(database.connection, `select count(*) as count from ${sql}`))[0]?.['count']);
}

const advance = (server: ServerAddress) =>
  operate(server, 'POST', `/apps/${packageName}/clock/advance`, { body: { to: end } });

/** Starts an advance and waits until `count` renewals are written. */
async function advanceUntil(server: ServerAddress, written: number) {
  const response = advance(server).catch(() => undefined);
  await waitFor(async () => (await countOf(`event where type = 'subscription.renewed'`)) >= written, {
    what: `${written} renewals`,
  });
  return { response };
}

async function expectWholeHistory(): Promise<void> {
  const { events, periods, subscriptions } = await historyOf(database.connection, packageName);
  expect(events).toHaveLength(renewalCount);
  const times = events.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  expect(periods).toHaveLength(renewalCount + subscriptionCount);
  expect(
    new Set(subscriptions.map((one) => (one as { last_period_index: number }).last_period_index)),
  ).toEqual(new Set([periodCount]));
  const gaps = await countOf(
    `purchase p join purchase q on q.package_name = p.package_name and q.first_purchase_id = p.first_purchase_id
      and q.period_index = p.period_index + 1 where q.start_time <> p.expiry_time`,
  );
  const open = await countOf('renewal_attempt where outcome is null');
  const duplicates = await countOf(
    '(select 1 from renewal_attempt group by package_name, first_purchase_id, period_index having count(*) > 1) as duplicates',
  );
  expect({ gaps, open, duplicates }).toEqual({ gaps: 0, open: 0, duplicates: 0 });
}

test('an advance whose server is killed repeatedly continues, and everything happens exactly once', async () => {
  await using servers = new AsyncDisposableStack();
  let server = servers.use(await startServer());
  await fill(server);
  for (const written of [1, renewalCount / 2]) {
    const { response } = await advanceUntil(server, written);
    await server.kill();
    expect(await response).toBe(undefined);
    server = servers.use(await startServer());
  }
  const writtenBefore = await countOf(`event where type = 'subscription.renewed'`);
  expect(writtenBefore).toBeLessThan(renewalCount);
  const response = await advance(server);
  expect([response.status, response.body.now, response.body.count]).toEqual([
    200,
    end,
    renewalCount - writtenBefore,
  ]);
  await expectWholeHistory();
});

test('a stopping server ends an advance between two batches, and another one continues at once', async () => {
  await using server = await startServer();
  await using other = await startServer();
  await fill(server);
  const { response } = await advanceUntil(server, 1);
  server.signal('SIGTERM');
  const stopped = await response;
  expect([stopped?.status, stopped?.body.detail]).toEqual([503, expect.stringContaining(`"to": ${end}`)]);
  await server.ended();
  expect((await advance(other)).status).toBe(200);
  await expectWholeHistory();
});
