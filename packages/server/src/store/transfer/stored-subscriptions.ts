// Reads the subscriptions of an app with all their months and attempts, in their order.

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

/** Subscriptions in memory at a time: each may have months of three hundred years. */
const pageMax = 50;

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

const rowsOf = (part: typeof storedMonth | typeof storedAttempt) => `
  (select coalesce(json_agg(r), '[]') from (
    select ${valueList(part, 't')} from ${part.table} t
    where t.package_name = $1 and t.first_purchase_id = s.first_purchase_id order by t.period_index) as r)`;

// Served by the primary keys of subscription and renewal_attempt and by purchase_period.
const selectStoredSubscriptions = statement({
  name: 'select_stored_subscriptions',
  text: `select ${subscriptionColumns}, ${rowsOf(storedMonth)} as months, ${rowsOf(storedAttempt)} as attempts
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
    if (last === undefined || page.length < pageMax) return;
    after = last.firstPurchaseId;
  }
}
