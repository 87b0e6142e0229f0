// Reads the subscriptions of an app with all their months and attempts, in their order.

import { attemptsMax } from '../../domain/subscriptions/renewal.ts';
import type { StoredSubscription } from '../../domain/subscriptions/subscription-rules.ts';
import type { Queryable } from '../connection/database.ts';
import { statement, unchecked } from '../connection/statement.ts';
import {
  renewableFromRow,
  type SubscriptionRow,
  subscriptionColumns,
} from '../subscriptions/subscriptions.ts';
import { purchase, renewalAttempt } from '../tables/ledger.ts';
import { pick, valueList } from '../tables/table.ts';

/** Subscriptions in memory at a time. */
const pageMax = 100;

const storedMonth = pick(
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
const rowsOf = (part: typeof storedMonth | typeof storedAttempt, ofMonth: number) => `
  (select coalesce(json_agg(r), '[]') from (
    select ${valueList(part, 't')} from ${part.table} t
    where t.package_name = $1 and t.first_purchase_id = s.first_purchase_id
    order by t.period_index limit ${ofMonth} * (s.last_period_index + 2) + 1) as r)`;

// Served by the primary keys of subscription and renewal_attempt and by purchase_period.
const selectStoredSubscriptions = statement({
  name: 'select_stored_subscriptions',
  text: `select ${subscriptionColumns}, ${rowsOf(storedMonth, 1)} as months,
      ${rowsOf(storedAttempt, attemptsMax)} as attempts
    from subscription s where s.package_name = $1 and s.first_purchase_id > $2
    order by s.first_purchase_id limit ${pageMax}`,
  row: unchecked<SubscriptionRow & Omit<StoredSubscription, 'subscription'>>(),
});

export async function* storedSubscriptions(
  queryable: Queryable,
  packageName: string,
): AsyncGenerator<StoredSubscription> {
  for (let after = ''; ; ) {
    const page = await queryable.rows(selectStoredSubscriptions, [packageName, after]);
    for (const { months, attempts, ...row } of page) {
      yield { subscription: renewableFromRow(row), months, attempts };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.firstPurchaseId;
  }
}
