// SQL for tests: rows that no operation of the API writes or reads.

import type { ClientConfig } from 'pg';
import { hashClientSecret } from '../../packages/server/src/domain/tokens/client-secret.ts';
import { type TestApp, testNow } from './harness.ts';
import { query } from './query.ts';

interface Database {
  readonly connection: ClientConfig;
}

type App = Pick<TestApp, 'packageName'>;

/** The rows of a table that belong to an app. */
export async function countRows(
  { connection }: Database,
  table: string,
  { packageName }: App,
): Promise<number> {
  const text = `select count(*)::int as rows from ${table} where package_name = $1`;
  return (await query(connection, text, [packageName]))[0].rows;
}

/** Makes every call that needs this table fail while `work` runs. */
export async function withoutTable<Result>(
  { connection }: Database,
  table: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await query(connection, `alter table ${table} rename to table_away`);
  try {
    return await work();
  } finally {
    await query(connection, `alter table table_away rename to ${table}`);
  }
}

/** The first attempt to charge the second period of a subscription, which was paid. */
export async function insertPaidAttempt(
  { connection }: Database,
  { packageName }: App,
  firstPurchaseId: string,
): Promise<void> {
  await query(
    connection,
    `insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
        begun_time, tries, outcome, settled_time, made_by, request_id)
      values ($1, $2, 1, 1, 'key', $3, $3, 1, 'paid', $3, 'job:renewals', 'r')`,
    [packageName, firstPurchaseId, testNow],
  );
}

/** Inserts test events, which belong to no purchase, so that none of them waits for another. */
export async function writeEvents(
  { connection }: Database,
  { packageName }: App,
  count: number,
): Promise<void> {
  await query(
    connection,
    `with counted as (
       update app_counter set event_order = event_order + ${count} where package_name = '${packageName}'
       returning event_order - ${count} as before)
     insert into event (package_name, event_order, type, event_time, made_by, request_id)
     select '${packageName}', before + n, 'test', ${testNow}, 'operator:admin', 'r'
     from counted, generate_series(1, ${count}) n`,
  );
}

/** SQL that writes `count` events of a purchase, for a transaction that stays open. */
export function consumedEventsSql(count: number): string {
  return `with counted as (
      update app_counter set event_order = event_order + ${count} where package_name = $1 returning event_order)
    insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
    select $1, event_order - n, 'purchase.consumed', ${testNow}, $2, 'coins', 'test', 'open'
    from counted, generate_series(0, ${count - 1}) n`;
}

/** Gives an app a secret as another store may have chosen it, such as one with a "+". */
export async function setClientSecret(
  { connection }: Database,
  { packageName }: App,
  clientSecret: string,
): Promise<void> {
  const text = 'update app set client_secret_hash = $2 where package_name = $1';
  await query(connection, text, [packageName, hashClientSecret(clientSecret)]);
}

/** Sets the time at which the events from an order on were written. */
export async function setWrittenAt(
  { connection }: Database,
  { packageName }: App,
  { writtenAt, fromOrder = 1 }: { readonly writtenAt: number; readonly fromOrder?: number },
): Promise<void> {
  const text = 'update event set written_at = $2 where package_name = $1 and event_order >= $3';
  await query(connection, text, [packageName, writtenAt, fromOrder]);
}

/** Inserts the delivery of the first event of an app, which is due at the time of the event if it waits. */
export async function insertDelivery(
  { connection }: Database,
  { packageName }: App,
  {
    eventId,
    eventType,
    eventTime,
    state,
  }: {
    readonly eventId: string;
    readonly eventType: string;
    readonly eventTime: number;
    readonly state: string;
  },
): Promise<void> {
  await query(
    connection,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, state, due_time,
        schedule_attempts, attempts)
      values ($1, 1, $2, $3, $4, $5, case when $5 = 'waiting' then $4::bigint end, 0, '[]')`,
    [packageName, eventId, eventType, eventTime, state],
  );
}

/** Inserts a clock, like putClock at `testNow`. */
export async function insertClock(
  { connection }: Database,
  { packageName }: App,
  {
    mode,
    rate = 1,
    appTime = testNow,
  }: { readonly mode: 'running' | 'frozen'; readonly rate?: number; readonly appTime?: number },
): Promise<void> {
  const text =
    'insert into app_clock (package_name, mode, rate, real_time, app_time) values ($1, $2, $3, $4, $5)';
  await query(connection, text, [packageName, mode, rate, testNow, appTime]);
}

/** Moves the stored clock of an app. */
export async function setAppTime(
  { connection }: Database,
  { packageName }: App,
  appTime: number,
): Promise<void> {
  const text = 'update app_clock set app_time = $2 where package_name = $1';
  await query(connection, text, [packageName, appTime]);
}

/** Leases the clock of an app to another server, like an advance. */
export async function leaseClock(
  { connection }: Database,
  { packageName }: App,
  { until, advanceTo }: { readonly until: number; readonly advanceTo: number },
): Promise<void> {
  await query(
    connection,
    `update app_clock set lease_holder = 'another', lease_until = $2, advance_to = $3 where package_name = $1`,
    [packageName, until, advanceTo],
  );
}

/** Sets the time of the database that a server last stored, as an operator does who confirms the clock. */
export async function setClockMark({ connection }: Database, databaseTime: number): Promise<void> {
  await query(
    connection,
    `insert into clock_mark values ('', $1)
      on conflict (package_name) do update set database_time = excluded.database_time`,
    [databaseTime],
  );
}

/** Leases the open attempt of a subscription to another server. */
export async function setAttemptLease(
  { connection }: Database,
  firstPurchaseId: string,
  until: number,
): Promise<void> {
  await query(
    connection,
    `update renewal_attempt set lease_holder = 'another', lease_until = $2
      where first_purchase_id = $1 and outcome is null`,
    [firstPurchaseId, until],
  );
}

/** Leaves the database without a stored time, as it is before a server has first run its jobs. */
export async function removeClockMark({ connection }: Database): Promise<void> {
  await query(connection, 'delete from clock_mark');
}

/** Lets the next void take the time of a clock that a test has set back. */
export async function forgetLastVoid({ connection }: Database, { packageName }: App): Promise<void> {
  const text = 'update app_counter set last_voided_time = 0 where package_name = $1';
  await query(connection, text, [packageName]);
}
