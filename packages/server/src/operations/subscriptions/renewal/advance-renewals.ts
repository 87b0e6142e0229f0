// Renews due subscriptions of an app whose clock is being advanced: each at its own due time, and all settled together,
// in order of time (docs/decisions/subscriptions.md).

import { type Queryable, RolledBack } from '../../../store/connection/database.ts';
import type { Author } from '../../../store/events/events.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import { findNewestAttempts, lockDueSubscriptions } from '../../../store/subscriptions/renewal-attempts.ts';
import { type BegunRenewal, beginRenewals } from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { type AnsweredRenewal, appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

interface AdvanceBatch {
  readonly packageName: string;
  readonly author: Author;
  /** In order of due time. */
  readonly due: readonly DueRenewal[];
  /** The lease of the app's clock; `move` returns false if it is lost. */
  readonly clock: { readonly now: number; move(transaction: Queryable, appTime: number): Promise<boolean> };
}

/**
 * Returns how many of the items were renewed or postponed. If the server dies, an attempt that began stays open with its
 * key and is sent again by the next advance of the clock. If the lease is lost, nothing is written.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function renewInOrder(
  options: RenewalOptions,
  batch: AdvanceBatch,
): Promise<number | 'leaseLost'> {
  const begun = await begin(options, batch);
  options.testing?.crashPoints('afterAttempt');
  const answered = await Promise.all(begun.map((one) => charge(options, one)));
  if (answered.length === 0) return 0;
  const settled = await settle(options, batch, answered);
  if (settled !== 'leaseLost') options.testing?.crashPoints('afterCommit');
  return settled;
}

/** Ignores leases: the whole app is leased, so an open attempt was left by a server that died. */
function begin(options: RenewalOptions, { packageName, author, due }: AdvanceBatch): Promise<BegunRenewal[]> {
  return options.database.transaction({ packageName, record: 'begin renewals' }, async (transaction) => {
    const keys = { packageName, firstPurchaseIds: due.map((item) => item.firstPurchaseId) };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: false });
    const newest = await findNewestAttempts(transaction, keys);
    const items = due.map((item) => ({ ...item, instant: item.dueTime }));
    const { realNow } = await options.clock.read(transaction, packageName);
    return beginRenewals(transaction, options, { packageName, author, realNow, items, rows, newest });
  });
}

async function charge({ gateway, testing }: RenewalOptions, begun: BegunRenewal): Promise<AnsweredRenewal> {
  if (begun.kind === 'noCharge') return begun;
  const answer = await gateway.charge(begun.charge);
  testing?.crashPoints('afterCharge');
  return { ...begun, answer };
}

function settle(
  options: RenewalOptions,
  { packageName, author, clock }: AdvanceBatch,
  answered: readonly AnsweredRenewal[],
): Promise<number | 'leaseLost'> {
  const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
  const record = answered.length === 1 ? (firstPurchaseIds[0] ?? '') : 'settle renewals';
  return options.database.transaction({ packageName, record }, async (transaction) => {
    const keys = { packageName, firstPurchaseIds };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: false });
    const { now: advancedFrom, realNow } = await options.clock.read(transaction, packageName);
    const given = { packageName, answered, rows, realNow, author };
    const { settled, postponed } = await settleRenewals(transaction, options, given);
    const written = [...settled, ...postponed].map(({ instant }) => instant);
    const now = Math.max(clock.now, ...written);
    if (written.length > 0 && !(await clock.move(transaction, now)))
      return new RolledBack('leaseLost' as const);
    await appendRenewalEvents(transaction, options, { packageName, settled, author, advancedFrom });
    return written.length;
  });
}
