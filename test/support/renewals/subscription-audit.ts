// Checks the invariants of all subscriptions of a database: rows that an import would accept, each period paid once, and one
// event for each change. Returns the problems as texts.

import type { Period } from '@opentill/contract/periods.ts';
import type { ClientConfig } from 'pg';
import {
  extendedAnchor,
  firstCalendar,
  periodEnd,
} from '../../../packages/server/src/domain/subscriptions/calendar-period.ts';
import { attemptsMax } from '../../../packages/server/src/domain/subscriptions/charge-times.ts';
import { subscriptionProblems } from '../../../packages/server/src/domain/subscriptions/subscription-rules.ts';
import { dayMs, minuteMs } from '../../../packages/server/src/domain/time.ts';
import type { Queryable } from '../../../packages/server/src/store/connection/database.ts';
import { Session } from '../../../packages/server/src/store/connection/session.ts';
import { storedSubscriptions } from '../../../packages/server/src/store/transfer/import-checks.ts';
import { query } from '../query.ts';
import { follow, nothingFollowed } from './followed-events.ts';

interface PaidPeriod {
  readonly id: string;
  readonly index: number;
  readonly price: number;
  readonly start: number;
  readonly expiry: number;
  /** When its payment was written. */
  readonly paid: number;
  readonly voided: number | null;
}

interface Attempt {
  readonly index: number;
  readonly attempt: number;
  readonly key: string;
  readonly outcome: 'paid' | 'declined' | 'declinedFinal' | null;
  readonly purchaseId: string | null;
  readonly next: number | null;
}

interface Extension {
  readonly purchaseId: string;
  readonly before: number;
  readonly end: number;
}

interface Life {
  readonly app: string;
  readonly id: string;
  readonly zone: string;
  readonly period: Period;
  readonly first: string | null;
  readonly begun: number;
  /** The price of what is not paid yet. */
  readonly price: number;
  readonly auto: boolean;
  readonly terminated: number | null;
  readonly told: boolean;
  readonly open: number | null;
  readonly last: { readonly index: number };
  readonly periods: readonly PaidPeriod[];
  readonly attempts: readonly Attempt[];
  readonly events: readonly string[];
  /** In order. */
  readonly extensions: readonly Extension[];
}

const rowsOf = (columns: string, table: string, order: string) => `
  (select coalesce(json_agg(json_build_object(${columns}) order by ${order}), '[]') from ${table} t
    where t.package_name = s.package_name and t.first_purchase_id = s.first_purchase_id)`;

// There is no index of events by subscription, so the events of all are read at once.
const livesText = `
  select s.package_name as app, s.first_purchase_id as id, s.time_zone as zone, s.period,
    s.first_period as first, s.first_start_time::float as begun, coalesce(s.renewal_price, s.price)::float as price,
    s.auto_renewing as auto, s.terminated_time::float as terminated, s.expiry_event_written as told,
    s.open_charge_time::float as open, json_build_object('index', s.last_period_index) as last,
    ${rowsOf(
      `'id', t.purchase_id, 'index', t.period_index, 'price', t.price, 'start', t.start_time, 'expiry', t.expiry_time,
        'paid', t.purchase_time, 'voided', t.voided_time`,
      'purchase',
      't.period_index',
    )} as periods,
    ${rowsOf(
      `'index', t.period_index, 'attempt', t.attempt, 'key', t.idempotency_key, 'outcome', t.outcome,
        'purchaseId', t.purchase_id, 'next', t.next_try_time`,
      'renewal_attempt',
      't.period_index, t.attempt',
    )} as attempts,
    coalesce(e.types, '[]') as events, coalesce(e.extensions, '[]') as extensions
  from subscription s
  left join (
    select package_name, first_purchase_id, json_agg(concat_ws(':', type, consent) order by event_order) as types,
      json_agg(json_build_object('purchaseId', purchase_id, 'before', previous_expiry_time, 'end', record -> 'expiryTime')
        order by event_order) filter (where type = 'subscription.extended') as extensions from event
    where first_purchase_id is not null group by package_name, first_purchase_id
  ) e using (package_name, first_purchase_id)
  order by s.package_name, s.first_purchase_id`;

/** The problems that a wrong settlement by hand makes; everything else holds nevertheless. */
export const wrongSettlementAllows =
  /was charged, and|was not charged|more than a decline|paid by one attempt|without a period|declined for good|no decline is told/;

export interface Audit {
  /** The problems. */
  readonly problems: readonly string[];
  readonly subscriptions: number;
  /** Periods that were paid by renewals. */
  readonly renewals: number;
  /** Attempts that are retried until they have an outcome. */
  readonly open: number;
}

/** Where rows of the subscriptions of an app contradict each other at an instant. */
export async function contradictions(
  queryable: Queryable,
  packageName: string,
  now: number,
): Promise<string[]> {
  const found: string[] = [];
  for await (const stored of storedSubscriptions(queryable, packageName)) {
    const { firstPurchaseId: id } = stored.subscription;
    const problems = subscriptionProblems(stored, { packageName, now });
    found.push(
      ...problems.map(({ kind, key, problem }) => `${packageName}/${id}: ${kind} ${key}: ${problem}`),
    );
  }
  return found;
}

async function allContradictions(
  connection: ClientConfig,
  packageNames: Iterable<string>,
  now: number,
): Promise<string[]> {
  await using session = await Session.open(connection);
  const found: string[] = [];
  for (const packageName of packageNames) found.push(...(await contradictions(session, packageName, now)));
  return found;
}

/** `taken`: how often the gateway took money, by key, which may include open attempts. */
export async function auditSubscriptions(
  connection: ClientConfig,
  taken: ReadonlyMap<string, number>,
  now: number,
): Promise<Audit> {
  const lives = (await query(connection, livesText)) as unknown as Life[];
  const attempts = lives.flatMap(({ attempts, periods, price }) =>
    attempts.map((one) => {
      const paidPeriod = periods.find(({ index }) => index === one.index);
      return { ...one, free: (paidPeriod?.price ?? price) === 0 };
    }),
  );
  const gaps = await query(
    connection,
    `select c.package_name as app from app_counter c
      where c.event_order <> (select count(*) from event e where e.package_name = c.package_name)`,
  );
  return {
    problems: [
      ...(await allContradictions(connection, new Set(lives.map(({ app }) => app)), now)),
      ...lives.flatMap((life) =>
        [...chainProblems(life), ...attemptProblems(life), ...eventProblems(life)].map(
          (problem) => `${life.app}/${life.id}: ${problem}`,
        ),
      ),
      ...moneyProblems(attempts, taken),
      ...gaps.map(({ app }) => `${app}: a place in the order of events is missing`),
    ],
    subscriptions: lives.length,
    renewals: lives.reduce((sum, { periods }) => sum + periods.length - 1, 0),
    open: attempts.filter(({ outcome, next }) => outcome === null && next !== null).length,
  };
}

/** The text of each condition that does not hold. */
function untrue(conditions: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(conditions).filter((condition) => conditions[condition] !== true);
}

function chainProblems({ periods, last, begun, zone, period, first, extensions }: Life): string[] {
  const sold = { firstStartTime: begun, timeZone: zone, period, firstPeriod: first };
  const start = firstCalendar(sold);
  let anchor = { ...sold, ...start.anchor };
  return untrue({
    'the periods are counted from 0': periods[0]?.index === 0,
    'a period that was paid in its last third, or after 60 days, is void, however its payment was written':
      periods
        .slice(1)
        .every(
          ({ start, expiry, paid, voided }) =>
            voided !== null || paid <= start + Math.min((2 / 3) * (expiry - start), 60 * dayMs) + minuteMs,
        ),
    'each period ends by the anchor, by its extension, or with its void': periods.every(
      ({ id, index, expiry, voided }) => {
        let end = index === 0 ? start.expiryTime : periodEnd(anchor, index);
        for (const extension of extensions.filter(({ purchaseId }) => purchaseId === id)) {
          if (extension.before !== end) return false;
          end = extension.end;
          anchor = { ...anchor, ...extendedAnchor(anchor, { index, newEnd: end }) };
        }
        return (
          expiry === end || (index === last.index && voided !== null && expiry === Math.min(end, voided))
        );
      },
    ),
  });
}

function attemptProblems({ app, id, periods, attempts, open, auto, told, terminated }: Life): string[] {
  const paid = attempts.filter(({ outcome }) => outcome === 'paid');
  const newest = attempts.at(-1);
  const isLast = ({ index, attempt }: Attempt) =>
    !attempts.some((other) => other.index === index && other.attempt > attempt);
  const hasEnded = !auto && (told || terminated !== null);
  return untrue({
    'each further period was paid by one attempt': periods
      .slice(1)
      .every(
        (paidPeriod) =>
          paid.filter((one) => one.purchaseId === paidPeriod.id && one.index === paidPeriod.index).length ===
          1,
      ),
    'no attempt was paid without a period': paid.length === periods.length - 1,
    'the attempts for a period are counted from 1 to the maximum': attempts.every(
      ({ index, attempt }) =>
        attempt <= attemptsMax &&
        (attempt === 1 || attempts.some((other) => other.index === index && other.attempt === attempt - 1)),
    ),
    'only the last attempt for a period is more than a decline': attempts.every(
      (one) => one.outcome === 'declined' || isLast(one),
    ),
    'what is declined for good ends auto-payment': attempts.every(
      (one) => one.outcome !== 'declinedFinal' || hasEnded,
    ),
    'a key names installation, app, subscription, period and attempt': attempts.every(
      ({ key, index, attempt }) => key.replace(/^[0-9a-f]{32}/, '') === `/${app}/${id}/${index}/${attempt}`,
    ),
    'an open attempt is the newest': open === null || newest?.outcome === null,
  });
}

/** Follows the events like a receiver. */
function eventProblems({ auto, told, terminated, periods, attempts, events, last }: Life): string[] {
  const count = (type: string) => events.filter((event) => event === type).length;
  const declines = attempts.filter(({ outcome }) => outcome?.startsWith('declined'));
  const followed = nothingFollowed();
  const problems: string[] = [];
  for (const [position, type] of events.entries()) {
    const fits = follow(followed, { type, isFirst: position === 0 });
    if (!fits) problems.push(`${type} does not fit at ${position} of ${events.join()}`);
  }
  return [
    ...problems,
    ...untrue({
      'the events lead to the state': followed.auto === auto && followed.ended === (terminated !== null),
      'an expiry is told once': count('subscription.expired') === (told ? 1 : 0),
      'each renewal is told once': count('subscription.renewed') === last.index,
      'each period paid after the end has one event':
        count('purchase.completed') === periods.length - 1 - last.index,
      'each void is told once':
        count('purchase.voided') === periods.filter(({ voided }) => voided !== null).length,
      'no decline is told that was none': count('subscription.payment_failed') <= declines.length,
    }),
  ];
}

/** Checks that charges and periods match one to one. */
function moneyProblems(
  attempts: readonly (Attempt & { readonly free: boolean })[],
  taken: ReadonlyMap<string, number>,
): string[] {
  const outcomes = new Map(attempts.map(({ key, outcome }) => [key, outcome]));
  const charged = new Map(attempts.filter(({ free }) => !free).map(({ key, outcome }) => [key, outcome]));
  return [
    ...[...taken]
      .filter(([, times]) => times !== 1)
      .map(([key, times]) => `${key} was charged ${times} times`),
    ...[...taken.keys()]
      .filter((key) => outcomes.get(key) !== 'paid' && outcomes.get(key) !== null)
      .map((key) => `${key} was charged, and is ${outcomes.get(key)}`),
    ...attempts.flatMap(({ key, free }) => (free && taken.has(key) ? `${key} is free, and was charged` : [])),
    ...[...charged]
      .filter(([key, outcome]) => outcome === 'paid' && !taken.has(key))
      .map(([key]) => `${key} has a period, and was not charged`),
  ];
}
