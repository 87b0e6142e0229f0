// What needs attention in the whole store: how much of it each app has, and since when in real time
// (docs/decisions/console.md). These statements only read.

import { attentionCountMax } from '@opentill/contract/attention.ts';
import Type, { type Static } from 'typebox';
import { appTimeSql } from '../clocks/app-time.ts';
import type { Queryable } from '../connection/database.ts';
import { realInstantSql } from '../sandbox/app-clocks.ts';
import { nullable, statement } from '../statements/statement.ts';

/** Apps that one statement returns, those with the most first: more than a response has rows. */
const appsMax = 100;

/** Rows that a statement reads of all apps in real time, the oldest first. */
const scannedMax = 10_000;

const Finding = Type.Object({
  packageName: Type.String(),
  count: Type.Integer(),
  since: nullable(Type.Integer()),
});
/** How much an app has of a kind, and since when. */
export type Finding = Static<typeof Finding>;

const counted = `least(count(*), ${attentionCountMax})::integer as count`;

/** Subscriptions with a time that has passed by the clock of their app since the real instant $1, except in the apps $2. */
const lateText = (time: string, condition: string) => `
  select package_name as "packageName", ${counted}, min(since) as since from (
    select late.package_name, late.since
    from (select s.package_name, ${time} as since from subscription s
      where ${condition} and ${time} <= $1::bigint order by ${time} limit ${scannedMax}) as late
    left join app_clock k on k.package_name = late.package_name
    where late.package_name <> all($2::text[]) and k.package_name is null
    union all
    select k.package_name, ${realInstantSql('k', 'late.app_time')} as since from app_clock k
    cross join lateral (select ${time} as app_time from subscription s
      where s.package_name = k.package_name and ${condition} and ${time} <= ${appTimeSql('k', '$1::bigint')}
      order by ${time} limit ${attentionCountMax}) as late
    where k.real_time <= $1::bigint and k.package_name <> all($2::text[])) as found
  group by package_name order by count(*) desc limit ${appsMax}`;

// Served by subscription_renewing. Reads all of app_clock; for each, served by subscription_renewing_of_app.
const selectOutstanding = statement({
  name: 'select_outstanding_payments',
  text: lateText('s.expiry_time', 's.auto_renewing'),
  row: Finding,
});

// Served by subscription_due. Reads all of app_clock; for each, served by subscription_due_of_app.
const selectOverdue = statement({
  name: 'select_overdue_renewals',
  text: lateText('s.due_time', 's.due_time is not null'),
  row: Finding,
});

const AttemptFinding = Type.Object({ ...Finding.properties, firstPurchaseId: Type.String() });
const UnansweredFinding = Type.Object({ ...AttemptFinding.properties, reason: Type.String() });

/** `clock`: what the column `time` is read from. */
const attemptsText = (
  condition: string,
  time: string,
  { clock = 'app', reason }: { readonly clock?: 'app' | 'real'; readonly reason?: string } = {},
) => `
  select a.package_name as "packageName", ${counted},
    min(${clock === 'app' ? realInstantSql('k', `a.${time}`) : `a.${time}`}) as since,
    min(a.first_purchase_id) as "firstPurchaseId"${reason === undefined ? '' : `, min(a.${reason}) as reason`}
  from (select package_name, first_purchase_id, ${time}${reason === undefined ? '' : `, ${reason}`} from renewal_attempt
    where ${condition} order by ${time} limit ${scannedMax}) as a
  ${clock === 'app' ? 'left join app_clock k on k.package_name = a.package_name' : ''}
  group by a.package_name order by count(*) desc limit ${appsMax}`;

// Served by renewal_attempt_waiting and the primary key of app_clock.
const selectUnresolved = statement({
  name: 'select_attention_unresolved',
  text: attemptsText('outcome is null and next_try_time is null', 'due_time'),
  row: AttemptFinding,
});

// Served by renewal_attempt_unanswered, whose instants are real.
const selectUnanswered = statement({
  name: 'select_attention_unanswered',
  text: attemptsText('unanswered_since <= $1', 'unanswered_since', {
    clock: 'real',
    reason: 'unanswered_reason',
  }),
  row: UnansweredFinding,
});

// Served by renewal_attempt_refund and the primary key of app_clock.
const selectRefunds = statement({
  name: 'select_attention_refunds',
  text: attemptsText('refund_due_time is not null', 'refund_due_time'),
  row: AttemptFinding,
});

// Scans renewal_pause.
const selectPauses = statement({
  name: 'select_attention_pauses',
  text: `select package_name as "packageName", 1 as count, paused_at as since from renewal_pause
    order by package_name limit ${appsMax}`,
  row: Finding,
});

/** Deliveries of the webhook `w` in a state, up to a number. */
const deliveriesText = (columns: string, state: string) => `select ${columns} from webhook_delivery d
  where d.package_name = w.package_name and d.state = '${state}' order by d.event_order limit ${attentionCountMax}`;

/** A single attempt that fails is repeated after 5 seconds, and receivers refuse one now and then. */
const failedTriesMin = 2;

/** Deliveries of the latest events, among which the last attempt is searched for. */
const latestDeliveries = 50;

// Reads all of webhook; for each, served by webhook_delivery_failed, and by the primary key of webhook_delivery, backwards.
const selectFailing = statement({
  name: 'select_failing_webhooks',
  text: `select w.package_name as "packageName", least(open.count, ${attentionCountMax})::integer as count, open.since
    from webhook w join app on app.package_name = w.package_name and app.disabled_at is null
    cross join lateral (select count(*) as count, min((o.attempts -> 0 ->> 'time')::bigint) as since,
        max(json_array_length(o.attempts)) as tries
      from ((${deliveriesText('d.attempts', 'waiting')}) union all (${deliveriesText('d.attempts', 'held')})) as o) as open
    cross join lateral (select n.attempt from (
        select d.attempts -> -1 as attempt from webhook_delivery d where d.package_name = w.package_name
        order by d.event_order desc limit ${latestDeliveries}) as n
      where n.attempt is not null order by (n.attempt ->> 'time')::bigint desc limit 1) as last
    where open.tries >= ${failedTriesMin} and (last.attempt -> 'failure' is not null
      or coalesce((last.attempt ->> 'httpStatus')::integer, 0) not between 200 and 299)
    order by open.count desc limit ${appsMax}`,
  row: Finding,
});

// Reads all of webhook; for each, served by webhook_delivery_failed.
const selectDead = statement({
  name: 'select_dead_deliveries',
  text: `select w.package_name as "packageName", dead.count::integer as count, dead.since from webhook w
    cross join lateral (select count(*) as count, min((o.attempts -> -1 ->> 'time')::bigint) as since
      from (${deliveriesText('d.attempts', 'dead')}) as o) as dead
    where dead.count > 0 order by dead.count desc limit ${appsMax}`,
  row: Finding,
});

/** Apps with paid periods that ended before the real instant and whose next payment has not succeeded. */
export function listOutstandingPayments(queryable: Queryable, before: number): Promise<Finding[]> {
  return queryable.rows(selectOutstanding, [before, []]);
}

/** Apps with payments or expiries that have been due since before the real instant. */
export function listOverdueRenewals(
  queryable: Queryable,
  { before, except }: { readonly before: number; readonly except: readonly string[] },
): Promise<Finding[]> {
  return queryable.rows(selectOverdue, [before, except]);
}

export type AttemptFinding = Static<typeof AttemptFinding> & { readonly reason?: string };

/** Apps with charges whose latest tries have had no answer since before the real instant, one of the subscriptions, and a reason. */
export function listUnanswered(queryable: Queryable, before: number): Promise<AttemptFinding[]> {
  return queryable.rows(selectUnanswered, [before]);
}

/** Apps with charges of unknown outcome that are not retried, and one of the subscriptions. */
export function listUnresolved(queryable: Queryable): Promise<AttemptFinding[]> {
  return queryable.rows(selectUnresolved, []);
}

/** Apps with charges whose money has to go back, and one of the subscriptions. */
export function listRefundsDue(queryable: Queryable): Promise<AttemptFinding[]> {
  return queryable.rows(selectRefunds, []);
}

/** The apps, or `wholeStore`, whose renewals an operator has paused. */
export function listPauses(queryable: Queryable): Promise<Finding[]> {
  return queryable.rows(selectPauses, []);
}

/** Apps whose webhook failed at its last finished attempt, while an event waits that has failed before. */
export function listFailingWebhooks(queryable: Queryable): Promise<Finding[]> {
  return queryable.rows(selectFailing, []);
}

export function listDeadDeliveries(queryable: Queryable): Promise<Finding[]> {
  return queryable.rows(selectDead, []);
}
