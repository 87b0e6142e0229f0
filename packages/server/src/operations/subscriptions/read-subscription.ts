// Reads subscriptions in the form of the operator API.

import { periodIndexMax } from '@opentill/contract/limits.ts';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';
import {
  ChangedSubscription,
  ListedSubscription,
  PaidPeriod,
  SubscriptionEvent,
  type Subscription as SubscriptionResponse,
  subscriptionEntriesMax,
  subscriptionPeriodsMax,
} from '@opentill/contract/operator-resources.ts';
import type { SubscriptionCause } from '@opentill/contract/subscription-causes.ts';
import { renewalAuthor } from '../../domain/subscriptions/renewal.ts';
import { renewalPriceOf, subscriptionStateAt } from '../../domain/subscriptions/subscription.ts';
import { causeOf } from '../../domain/subscriptions/subscription-cause.ts';
import { findProduct } from '../../store/apps/products.ts';
import { listSubscriptionHistory } from '../../store/events/event-histories.ts';
import { type PurchaseRow, periodFromPurchaseRow } from '../../store/purchases/purchases.ts';
import type { Store } from '../../store/store.ts';
import { listAttempts } from '../../store/subscriptions/attempt-lists.ts';
import { isPaused } from '../../store/subscriptions/renewal-pauses.ts';
import {
  listPeriods,
  type PeriodFacts,
  readPeriodFacts,
} from '../../store/subscriptions/subscription-periods.ts';
import {
  findSubscription,
  type SubscriptionRow,
  subscriptionFromRow,
} from '../../store/subscriptions/subscriptions.ts';
import { historyValues } from '../events/history-values.ts';
import { purchaseStates, reasonWord } from '../purchases/purchase-response.ts';
import { shown } from '../shown.ts';
import { attemptResponse } from './attempt-response.ts';

/** By periodIndex, both ends included. */
export const allPeriods = { fromPeriod: 0, toPeriod: periodIndexMax } as const;

interface SubscriptionView {
  readonly fromPeriod?: number | undefined;
  readonly toPeriod?: number | undefined;
  /** The time of the app. */
  readonly now: number;
  readonly newestPeriods?: number | undefined;
  /** The operator's role; undefined for an app. */
  readonly role?: Role | undefined;
}

/**
 * With the periods of a range, or all of them, and their attempts and events. Returns undefined unless the id is the first
 * purchase id of a subscription of this app.
 */
export async function readSubscription(
  { database, environment }: Store,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  {
    now,
    role,
    newestPeriods = subscriptionPeriodsMax,
    fromPeriod = allPeriods.fromPeriod,
    toPeriod = allPeriods.toPeriod,
  }: SubscriptionView,
): Promise<SubscriptionResponse | undefined> {
  const row = await findSubscription(database, key);
  if (row === undefined) return undefined;
  const periods = await listPeriods(database, { ...key, fromPeriod, toPeriod }, newestPeriods);
  // The period to pay next has attempts, but no purchase.
  const asked = { ...key, fromPeriod: periods[0]?.periodIndex ?? fromPeriod, toPeriod };
  const attempts = await listAttempts(database, asked, subscriptionEntriesMax);
  const events = await listSubscriptionHistory(database, asked, subscriptionEntriesMax);
  const facts = (await readPeriodFacts(database, [key]))(key);
  const product = await findProduct(database, row);
  const cause = await readCause(database, { row, now, ...facts });
  return {
    ...listedSubscription({ ...row, ...facts }, now),
    ...(product?.title && { productTitle: product.title }),
    ...(row.erasedAt !== null && { isErased: true }),
    periods: periods.map(periodResponse),
    attempts: attempts.map(attemptResponse),
    events: events.map(({ chargedPeriod, attempt, ...event }) =>
      shown(SubscriptionEvent, {
        ...historyValues(event, { environment, packageName: key.packageName }, role),
        attempt: attempt === null || chargedPeriod === null ? null : { periodIndex: chargedPeriod, attempt },
      }),
    ),
    now,
    cause,
  };
}

interface CauseFacts {
  readonly row: SubscriptionRow;
  readonly now: number;
  readonly voidedPeriods: readonly number[];
}

async function readCause(
  database: Store['database'],
  { row, now, voidedPeriods }: CauseFacts,
): Promise<SubscriptionCause> {
  const { packageName, firstPurchaseId } = row;
  const [newest] = await listAttempts(database, { packageName, firstPurchaseId, ...allPeriods }, 1);
  const subscription = subscriptionFromRow(row);
  // No other state depends on a pause, and on a cluster that of all apps may be on another node.
  const isOutstanding = subscriptionStateAt(subscription, now) === 'paymentOutstanding';
  return causeOf({
    subscription,
    now,
    newest,
    isNewestPeriodVoided: voidedPeriods.includes(row.lastPeriodIndex),
    cancelledBy: row.autoPaymentChangedBy,
    renewalAuthor,
    isPaused:
      isOutstanding && (await isPaused(database, { packageName, isDistributed: database.isDistributed })),
  });
}

/** `now` is the time of its app. */
export function listedSubscription(row: SubscriptionRow & PeriodFacts, now: number): ListedSubscription {
  return shown(ListedSubscription, { ...row, ...shownState(row, now) });
}

/** The same right after a change, as it was written. */
export function changedSubscription(row: SubscriptionRow, now: number): ChangedSubscription {
  return shown(ChangedSubscription, { ...row, ...shownState(row, now) });
}

function shownState(row: SubscriptionRow, now: number) {
  const state = subscriptionStateAt(subscriptionFromRow(row), now);
  return {
    state,
    awaitsConsent: state === 'autoPaymentOff' && row.consent === 'awaited',
    startTime: row.firstStartTime,
    renewalPrice: renewalPriceOf(row),
    cancelReason: row.cancelReason && reasonWord(row.cancelReason),
  };
}

function periodResponse(row: PurchaseRow): PaidPeriod {
  return shown(PaidPeriod, { ...periodFromPurchaseRow(row), ...purchaseStates(row) });
}
