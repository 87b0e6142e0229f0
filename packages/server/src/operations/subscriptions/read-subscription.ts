// Reads subscriptions in the form of the operator API.

import {
  ListedSubscription,
  SubscriptionMonth,
  type Subscription as SubscriptionResponse,
  subscriptionMonthsMax,
} from '@opentill/contract/operator-resources.ts';
import type { SubscriptionCause } from '@opentill/contract/subscription-causes.ts';
import { subscriptionStateAt } from '../../domain/subscriptions/subscription.ts';
import { causeOf } from '../../domain/subscriptions/subscription-cause.ts';
import type { Database } from '../../store/connection/database.ts';
import { monthFromPurchaseRow, type PurchaseRow } from '../../store/purchases/purchases.ts';
import { listAttempts } from '../../store/subscriptions/attempt-lists.ts';
import { readRenewalState } from '../../store/subscriptions/renewal-pauses.ts';
import {
  findSubscription,
  listMonths,
  readVoidedPeriods,
  type SubscriptionRow,
  subscriptionFromRow,
} from '../../store/subscriptions/subscriptions.ts';
import { purchaseStates, reasonWord } from '../purchases/purchase-response.ts';
import { shown } from '../shown.ts';
import { allPeriods, type PeriodRange } from './period-range.ts';
import { renewalAuthor } from './renewal/renewal-options.ts';

interface SubscriptionView extends Partial<PeriodRange> {
  /** The time of the app. */
  readonly now: number;
  readonly newestMonths?: number | undefined;
}

/** With the months of a range, or all of them. Returns undefined unless the id is the first purchase id of a subscription of this app. */
export async function readSubscription(
  database: Database,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  { now, newestMonths = subscriptionMonthsMax, ...range }: SubscriptionView,
): Promise<SubscriptionResponse | undefined> {
  const row = await findSubscription(database, key);
  if (row === undefined) return undefined;
  const months = await listMonths(database, { ...allPeriods, ...range, ...key }, newestMonths);
  const voidedPeriods = (await readVoidedPeriods(database, [key]))(key);
  const cause = await readCause(database, { row, now, voidedPeriods });
  const shown = listedSubscription({ ...row, voidedPeriods }, now);
  return { ...shown, months: months.map(monthResponse), now, cause };
}

const newestPage = { after: undefined, limit: 1 };

interface CauseFacts {
  readonly row: SubscriptionRow;
  readonly now: number;
  readonly voidedPeriods: readonly number[];
}

async function readCause(
  database: Database,
  { row, now, voidedPeriods }: CauseFacts,
): Promise<SubscriptionCause> {
  const { packageName, firstPurchaseId } = row;
  const { rows: attempts } = await listAttempts(database, { packageName, firstPurchaseId }, newestPage);
  const subscription = subscriptionFromRow(row);
  // No other state depends on a pause, and on a cluster that of all apps may be on another node.
  const isOutstanding = subscriptionStateAt(subscription, now) === 'payment_outstanding';
  const isPaused = isOutstanding && (await readRenewalState(database, packageName)).isPaused;
  return causeOf({
    subscription,
    now,
    newest: attempts[0],
    isNewestMonthVoided: voidedPeriods.includes(row.lastPeriodIndex),
    cancelledBy: row.autoPaymentChangedBy,
    renewalAuthor,
    isPaused,
  });
}

/** `now` is the time of its app. */
export function listedSubscription(
  row: SubscriptionRow & { readonly voidedPeriods: number[] },
  now: number,
): ListedSubscription {
  return shown(ListedSubscription, {
    ...row,
    state: subscriptionStateAt(subscriptionFromRow(row), now),
    startTime: row.firstStart,
    cancelReason: row.cancelReason && reasonWord(row.cancelReason),
  });
}

function monthResponse(row: PurchaseRow): SubscriptionMonth {
  return shown(SubscriptionMonth, { ...monthFromPurchaseRow(row), ...purchaseStates(row) });
}
