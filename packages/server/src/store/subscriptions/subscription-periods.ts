// The periods of subscriptions in lists and records.

import Type from 'typebox';
import type { PeriodsOfSubscription } from '../../domain/subscriptions/subscription.ts';
import type { Queryable } from '../connection/database.ts';
import { PurchaseRow, purchaseColumns } from '../purchases/purchases.ts';
import { nullable, statement } from '../statements/statement.ts';

// Served by purchase_period, backwards.
const selectPeriodsOfSubscription = statement({
  name: 'select_periods_of_subscription',
  text: `select ${purchaseColumns} from purchase p where p.package_name = $1 and p.first_purchase_id = $2
      and p.period_index between $3 and $4 order by p.period_index desc limit $5`,
  row: PurchaseRow,
});

// Served by purchase_period, in its order.
const selectPeriodFacts = statement({
  name: 'select_period_facts',
  text: `select p.package_name as "packageName", p.first_purchase_id as "firstPurchaseId",
      p.period_index as "periodIndex", p.order_id as "orderId", p.voided_time is not null as "isVoided"
    from purchase p
    where p.package_name = any($1) and p.first_purchase_id = any($2)
      and (p.voided_time is not null or p.period_index = 0)
    order by p.package_name, p.first_purchase_id, p.period_index`,
  row: Type.Object({
    packageName: Type.String(),
    firstPurchaseId: Type.String(),
    periodIndex: Type.Integer(),
    orderId: nullable(Type.String()),
    isVoided: Type.Boolean(),
  }),
});

/** The newest periods of a range in order, at most `limit`. */
export async function listPeriods(
  queryable: Queryable,
  of: PeriodsOfSubscription,
  limit: number,
): Promise<PurchaseRow[]> {
  const { packageName, firstPurchaseId, fromPeriod, toPeriod } = of;
  const values = [packageName, firstPurchaseId, fromPeriod, toPeriod, limit];
  return (await queryable.rows(selectPeriodsOfSubscription, values)).reverse();
}

/** What a list shows of the periods of a subscription. */
export interface PeriodFacts {
  /** The order of the first period. */
  readonly orderId: string | null;
  /** In order. */
  readonly voidedPeriods: number[];
}

/** The facts of each subscription. */
export async function readPeriodFacts(
  queryable: Queryable,
  keys: readonly SubscriptionKey[],
): Promise<(key: SubscriptionKey) => PeriodFacts> {
  // Citus visits every shard for no key.
  if (keys.length === 0) return () => ({ orderId: null, voidedPeriods: [] });
  const packageNames = [...new Set(keys.map(({ packageName }) => packageName))];
  const ids = keys.map(({ firstPurchaseId }) => firstPurchaseId);
  const rows = await queryable.rows(selectPeriodFacts, [packageNames, ids]);
  const periodsOf = Map.groupBy(rows, keyText);
  return (key) => {
    const periods = periodsOf.get(keyText(key)) ?? [];
    return {
      orderId: periods.find(({ periodIndex }) => periodIndex === 0)?.orderId ?? null,
      voidedPeriods: periods.filter(({ isVoided }) => isVoided).map(({ periodIndex }) => periodIndex),
    };
  };
}

interface SubscriptionKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

/** A package name contains no space. */
const keyText = ({ packageName, firstPurchaseId }: SubscriptionKey) => `${packageName} ${firstPurchaseId}`;
