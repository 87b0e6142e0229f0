// Checks the imported rows of an app against each other. Every table is limited to the app, so that a cluster runs each
// statement on one machine.

import Type from 'typebox';
import { purchaseTimeAheadMsMax } from '../../domain/purchases/purchase.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { attemptsMax } from '../../domain/subscriptions/charge-times.ts';
import {
  isOverdue,
  type StoredSubscription,
  subscriptionProblems,
} from '../../domain/subscriptions/subscription-rules.ts';
import type { Queryable } from '../connection/database.ts';
import { findAppClock } from '../sandbox/app-clocks.ts';
import { statement, unchecked } from '../statements/statement.ts';
import { pick, type Table, valueList } from '../statements/table.ts';
import {
  renewableFromRow,
  type SubscriptionRow,
  subscriptionColumns,
} from '../subscriptions/subscriptions.ts';
import { appCounter, purchase, renewalAttempt, subscription } from '../tables/ledger.ts';
import { keyColumns } from './columns.ts';
import type { ImportProblems } from './import-problems.ts';
import { transferKinds } from './kinds.ts';
import { monthProblems } from './month-checks.ts';

/** SQL that names the rows of a table by their key, and their problem. */
const problemsOf = (kind: string, table: Table, problem: string, condition: string) =>
  `select '${kind}' as kind, concat_ws(' ', ${keyColumns(table).join(', ')}) as key, ${problem} as problem
    from ${table.table} where ${table.table}.package_name = $1 and ${condition}`;

const referenceChecks = transferKinds.flatMap(({ kind, tables: [main], references }) =>
  references.map(({ field, table, column, type }) => {
    const value = `${main.table}.${main.columns[field]?.column}`;
    const isOfType = type === undefined ? '' : `and named.type = ${type}`;
    const named = `select from ${table} named
      where named.package_name = $1 and named.${column} = ${value} ${isOfType}`;
    const ofType = type === undefined ? '' : ` || ' of type ' || ${type}`;
    const problem = `'${field}: expected the id of a ${table}'${ofType} || ', got ' || ${value}`;
    return problemsOf(kind, main, problem, `${value} is not null and not exists (${named})`);
  }),
);

const periodOfProduct = `from product named
  where named.package_name = $1 and named.product_id = subscription.product_id and named.period <> subscription.period`;

const periodCheck = problemsOf(
  'subscription',
  subscription,
  `'period: expected ' || (select named.period ${periodOfProduct}) || ', that of the product '
    || subscription.product_id || ', got ' || subscription.period`,
  `exists (select ${periodOfProduct})`,
);

/** eraseBuyer finds a subscription by its periods. */
const buyerCheck = problemsOf(
  'subscription',
  subscription,
  `'buyerId: expected that of one of its periods, got another'`,
  `subscription.buyer_id is not null and not exists (select from purchase paid where paid.package_name = $1
    and paid.first_purchase_id = subscription.first_purchase_id and paid.buyer_id = subscription.buyer_id)`,
);

/** Times that must be past at import: a server dates none of them later. */
const pastTimes = [
  ['purchase', purchase, 'purchaseTime'],
  ['purchase', purchase, 'consumedTime'],
  ['purchase', purchase, 'voidedTime'],
  ['app', appCounter, 'lastVoidedTime'],
] as const satisfies readonly (readonly [string, Table, string])[];

/** As quoteInstant shows it. */
const shownInstant = (value: string): string =>
  `(${value})::text || to_char(to_timestamp((${value}) / 1000.0) at time zone 'UTC', ' (YYYY-MM-DD"T"HH24:MI:SS.MS"Z)"')`;

const timeChecks = pastTimes.map(([kind, table, field]) => {
  const columns: Table['columns'] = table.columns;
  const value = `${table.table}.${columns[field]?.column}`;
  const problem = `'${field}: expected at most ' || ${shownInstant('$2::bigint')} || ', a minute after the time of the app, got '
    || ${shownInstant(value)}`;
  return problemsOf(kind, table, problem, `${value} > $2::bigint`);
});

// Reads all rows of the app once.
const selectProblems = statement({
  name: 'find_import_problems',
  text: `select kind, key, problem, (count(*) over ())::integer as count
    from (${[...referenceChecks, periodCheck, buyerCheck, ...timeChecks].join(' union all ')}) as found limit $3`,
  row: Type.Object({
    kind: Type.String(),
    key: Type.String(),
    problem: Type.String(),
    count: Type.Integer(),
  }),
});

/**
 * Adds the rows of an app that refer to a missing one or contradict another, or whose time lies in its future. Returns the
 * number of overdue subscriptions.
 */
export async function checkApp(
  transaction: Queryable,
  packageName: string,
  { problems, realNow }: { readonly problems: ImportProblems; readonly realNow: number },
): Promise<number> {
  const now = appNow(await findAppClock(transaction, packageName), realNow);
  const rowsMax = Math.max(1, problems.nameable);
  const found = await transaction.rows(selectProblems, [packageName, now + purchaseTimeAheadMsMax, rowsMax]);
  for (const row of found) problems.addRow(packageName, row);
  problems.addUnnamed((found[0]?.count ?? 0) - found.length);
  for (const problem of await monthProblems(transaction, packageName)) problems.addRow(packageName, problem);
  let overdue = 0;
  for await (const stored of storedSubscriptions(transaction, packageName)) {
    if (isOverdue(stored.subscription, now)) overdue += 1;
    for (const problem of subscriptionProblems(stored, { packageName, now }))
      problems.addRow(packageName, problem);
  }
  return overdue;
}

/** Subscriptions in memory at a time. */
const pageMax = 100;

const storedPeriod = pick(
  purchase,
  'purchaseId',
  'productId',
  'periodIndex',
  'startTime',
  'expiryTime',
  'voidedTime',
);
const storedAttempt = pick(
  renewalAttempt,
  'periodIndex',
  'attempt',
  'idempotencyKey',
  'nextTryTime',
  'outcome',
);

/** At most one row more than a subscription may have, which shows that it has too many. */
const rowsOf = (part: typeof storedPeriod | typeof storedAttempt, ofPeriod: number) => `
  (select coalesce(json_agg(r), '[]') from (
    select ${valueList(part, 't')} from ${part.table} t
    where t.package_name = $1 and t.first_purchase_id = s.first_purchase_id
    order by t.period_index limit ${ofPeriod} * (s.last_period_index + 2) + 1) as r)`;

// Served by the primary keys of subscription and renewal_attempt and by purchase_period.
const selectStoredSubscriptions = statement({
  name: 'select_stored_subscriptions',
  text: `select ${subscriptionColumns}, ${rowsOf(storedPeriod, 1)} as periods,
      ${rowsOf(storedAttempt, attemptsMax)} as attempts
    from subscription s where s.package_name = $1 and s.first_purchase_id > $2
    order by s.first_purchase_id limit ${pageMax}`,
  row: unchecked<SubscriptionRow & Omit<StoredSubscription, 'subscription'>>(),
});

/** Reads the subscriptions of an app with all their periods and attempts, in their order. */
export async function* storedSubscriptions(
  queryable: Queryable,
  packageName: string,
): AsyncGenerator<StoredSubscription> {
  for (let after = ''; ; ) {
    const page = await queryable.rows(selectStoredSubscriptions, [packageName, after]);
    for (const { periods, attempts, ...row } of page) {
      yield { subscription: renewableFromRow(row), periods, attempts };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.firstPurchaseId;
  }
}
