// Erases buyers: removes their ids and empties their payloads, a batch of purchases at a time with all rows that repeat
// them (docs/decisions/purchases.md).

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../statements/statement.ts';
import { lockSubscriptions } from '../subscriptions/subscription-locks.ts';

const OfApp = Type.Object({ packageName: Type.String() });
const OfSubscription = Type.Object({ firstPurchaseId: Type.String() });
const PurchaseOfBuyer = Type.Object({
  purchaseId: Type.String(),
  firstPurchaseId: nullable(Type.String()),
});

// Served by the primary key of app_counter in its order, and by purchase_buyer once for each app.
const selectAppsOfBuyer = statement({
  name: 'select_apps_of_buyer',
  text: `select c.package_name as "packageName" from app_counter c
    cross join lateral (
      select 1 from purchase p where p.package_name = c.package_name and p.buyer_id = $1 limit 1) as found
    order by c.package_name limit $2`,
  row: OfApp,
});

/** SQL for a condition: the subscription s of the app has an attempt with this condition. */
const hasAttempt = (condition: string) => `exists (select from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = s.first_purchase_id and ${condition})`;

/** SQL for a condition: the subscription s can still be charged, or a charge of it has to be refunded. */
const isCharged = `(s.auto_renewing or ${hasAttempt('a.outcome is null')}
    or ${hasAttempt('a.refund_due_time is not null')})`;

// Served by purchase_buyer, the primary key of subscription, renewal_attempt_open and renewal_attempt_refund.
const selectChargedSubscription = statement({
  name: 'select_charged_subscription_of_buyer',
  text: `select s.first_purchase_id as "firstPurchaseId" from (
      select distinct p.first_purchase_id from purchase p
      where p.package_name = $1 and p.buyer_id = $2 and p.first_purchase_id is not null) as bought
    join subscription s on s.package_name = $1 and s.first_purchase_id = bought.first_purchase_id
    where ${isCharged} limit 1`,
  row: OfSubscription,
});

// Served by the primary key, renewal_attempt_open and renewal_attempt_refund.
const selectChargedAmong = statement({
  name: 'select_charged_subscription_among',
  text: `select s.first_purchase_id as "firstPurchaseId" from subscription s
    where s.package_name = $1 and s.first_purchase_id = any($2::text[]) and ${isCharged} limit 1`,
  row: OfSubscription,
});

// Served by purchase_buyer, in its order.
const selectPurchasesOfBuyer = statement({
  name: 'select_batch_of_buyer',
  text: `select purchase_id as "purchaseId", first_purchase_id as "firstPurchaseId" from purchase
    where package_name = $1 and buyer_id = $2 order by purchase_time, purchase_id limit $3`,
  row: PurchaseOfBuyer,
});

// The server that delivers loses the lease, so that it does not write a response that it received before. Served by the
// primary key.
const stopDelivering = statement({
  name: 'stop_delivering',
  text: `update webhook set lease_holder = null, lease_until = null where package_name = $1`,
  row: NoRow,
});

// Served by the primary key.
const lockPurchases = statement({
  name: 'lock_purchases_of_buyer',
  text: `select purchase_id as "purchaseId" from purchase
    where package_name = $1 and purchase_id = any($2::text[]) order by purchase_id for no key update`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** SQL for a JSON object with one of its fields emptied, in the order of its fields. */
const emptied = (object: string, field: string) => `(
    select json_object_agg(f.key, case when f.key = '${field}' then '""'::json else f.value end order by f.position)
    from json_each(${object}) with ordinality as f (key, value, position))`;

const erasure = (name: string, update: string) =>
  statement({
    name,
    text: `with erased as (${update} returning 1) select count(*) as rows from erased`,
    row: Type.Object({ rows: Type.Integer() }),
  });

/** SQL for the row of a purchase or subscription after an erasure. */
const withoutBuyer = "buyer_id = null, developer_payload = '', erased_at = $3";

// Served by the primary key.
const eraseSubscriptions = erasure(
  'erase_buyer_of_subscriptions',
  `update subscription set ${withoutBuyer}, consent = null where package_name = $1
    and first_purchase_id = any($2::text[]) and erased_at is null`,
);

// Served by the primary key.
const erasePurchases = erasure(
  'erase_buyer_of_purchases',
  `update purchase set ${withoutBuyer} where package_name = $1 and purchase_id = any($2::text[])`,
);

const ofPurchases = [
  // Served by event_of_purchase.
  erasure(
    'erase_buyer_of_events',
    `update event set record = ${emptied('record', 'developerPayload')}
      where package_name = $1 and purchase_id = any($2::text[]) and record ->> 'developerPayload' <> ''`,
  ),
  // A receiver may have returned what it received. Served by event_of_purchase and the primary key of webhook_delivery.
  erasure(
    'erase_buyer_of_deliveries',
    `update webhook_delivery d set attempts = (
        select json_agg(${emptied('a.attempt', 'response')} order by a.position)
        from json_array_elements(d.attempts) with ordinality as a (attempt, position))
      from event e
      where e.package_name = $1 and e.purchase_id = any($2::text[])
        and d.package_name = $1 and d.event_order = e.event_order
        and exists (select from json_array_elements(d.attempts) as a (attempt) where a.attempt ->> 'response' <> '')`,
  ),
];

/** At most `limit` package names of apps in which the buyer has purchases, in their order. */
export async function listAppsOfBuyer(
  storeWide: Queryable,
  buyerId: string,
  limit: number,
): Promise<string[]> {
  const rows = await storeWide.rows(selectAppsOfBuyer, [buyerId, limit]);
  return rows.map(({ packageName }) => packageName);
}

interface BuyerInApp {
  readonly packageName: string;
  readonly buyerId: string;
}

/** The id of a subscription of the buyer that has auto-payment on or an open attempt. */
export async function findChargedSubscription(
  queryable: Queryable,
  { packageName, buyerId }: BuyerInApp,
): Promise<string | undefined> {
  const [charged] = await queryable.rows(selectChargedSubscription, [packageName, buyerId]);
  return charged?.firstPurchaseId;
}

/**
 * Erases at most `limit` purchases of a buyer with their subscriptions, events and deliveries. Returns the number of changed
 * rows, 0 if the buyer has no purchases left, or the id of a subscription that is still charged: then nothing is changed.
 * `now` is real time.
 */
export async function eraseBatch(
  transaction: Queryable,
  { packageName, buyerId, limit, now }: BuyerInApp & { readonly limit: number; readonly now: number },
): Promise<number | { readonly charged: string }> {
  const purchases = await transaction.rows(selectPurchasesOfBuyer, [packageName, buyerId, limit]);
  if (purchases.length === 0) return 0;
  await transaction.rows(stopDelivering, [packageName]);
  const firstPurchaseIds = [...new Set(purchases.flatMap(({ firstPurchaseId }) => firstPurchaseId ?? []))];
  await lockSubscriptions(transaction, { packageName, firstPurchaseIds });
  const [charged] = await transaction.rows(selectChargedAmong, [packageName, firstPurchaseIds]);
  if (charged !== undefined) return { charged: charged.firstPurchaseId };
  const purchaseIds = purchases.map(({ purchaseId }) => purchaseId);
  await transaction.rows(lockPurchases, [packageName, purchaseIds]);
  const counts = await transaction.rows(eraseSubscriptions, [packageName, firstPurchaseIds, now]);
  counts.push(...(await transaction.rows(erasePurchases, [packageName, purchaseIds, now])));
  for (const erase of ofPurchases) {
    counts.push(...(await transaction.rows(erase, [packageName, purchaseIds])));
  }
  return counts.reduce((sum, { rows }) => sum + rows, 0);
}
