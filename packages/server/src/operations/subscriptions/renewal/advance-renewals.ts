// Renews due subscriptions of an app whose clock is being advanced: each at its own due time, and all settled together,
// in order of time (docs/decisions/renewals.md).

import type { Queryable } from '../../../store/connection/database.ts';
import type { Author } from '../../../store/events/events.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import { findNewestAttempts, lockDueSubscriptions } from '../../../store/subscriptions/renewal-attempts.ts';
import { type BegunRenewal, beginRenewals } from './begin-renewals.ts';
import type { RenewalParts } from './renewal-parts.ts';
import { type AnsweredRenewal, appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

interface AdvanceBatch {
  readonly packageName: string;
  readonly author: Author;
  /** In order of due time. */
  readonly due: readonly DueRenewal[];
  /** The lease of the app's clock. */
  readonly clock: { readonly now: number; move(transaction: Queryable, appTime: number): Promise<void> };
}

/**
 * Returns how many of the items were renewed or postponed. If the server dies, an attempt that began stays open with its
 * key and is sent again by the next advance of the clock.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function renewInOrder(parts: RenewalParts, batch: AdvanceBatch): Promise<number> {
  const begun = await begin(parts, batch);
  parts.crashPoints('afterAttempt');
  const answered = await Promise.all(begun.map((one) => charge(parts, one)));
  if (answered.length === 0) return 0;
  const settled = await settle(parts, batch, answered);
  parts.crashPoints('afterCommit');
  return settled;
}

/** Ignores leases: the whole app is leased, so an open attempt was left by a server that died. */
function begin(parts: RenewalParts, { packageName, author, due }: AdvanceBatch): Promise<BegunRenewal[]> {
  return parts.database.transaction({ packageName, record: 'begin renewals' }, async (transaction) => {
    const keys = { packageName, firstPurchaseIds: due.map((item) => item.firstPurchaseId) };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: false });
    const newest = await findNewestAttempts(transaction, keys);
    const items = due.map((item) => ({ ...item, instant: item.dueTime }));
    return beginRenewals(transaction, parts, { packageName, author, items, rows, newest });
  });
}

async function charge({ gateway, crashPoints }: RenewalParts, begun: BegunRenewal): Promise<AnsweredRenewal> {
  if (begun.kind === 'noCharge') return begun;
  const answer = await gateway.charge(begun.charge);
  crashPoints('afterCharge');
  return { ...begun, answer };
}

function settle(
  parts: RenewalParts,
  { packageName, author, clock }: AdvanceBatch,
  answered: readonly AnsweredRenewal[],
): Promise<number> {
  const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
  const record = answered.length === 1 ? (firstPurchaseIds[0] ?? '') : 'settle renewals';
  return parts.database.transaction({ packageName, record }, async (transaction) => {
    const keys = { packageName, firstPurchaseIds };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: false });
    const given = { packageName, answered, rows, author };
    const { settled, postponed } = await settleRenewals(transaction, parts, given);
    const written = [...settled, ...postponed].map(({ instant }) => instant);
    const now = Math.max(clock.now, ...written);
    if (written.length > 0) await clock.move(transaction, now);
    await appendRenewalEvents(transaction, parts, { packageName, settled, now, author });
    return written.length;
  });
}
