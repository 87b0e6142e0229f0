// Settles an attempt to charge a period by hand, with the effect of the same answer of the gateway.

import { settleAttempt as operation } from '@opentill/contract/operator-api/settleAttempt.ts';
import type { SettlingOptions } from '../../charging/renewal-options.ts';
import { appendRenewalEvents, settleRenewals } from '../../charging/settle-renewals.ts';
import { attemptLeaseMs, isLeased } from '../../domain/clocks/leases.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import { type Queryable, RolledBack } from '../../store/connection/database.ts';
import { isBeingAdvanced } from '../../store/sandbox/app-clocks.ts';
import type { Store } from '../../store/store.ts';
import { findAttempt } from '../../store/subscriptions/attempt-lists.ts';
import { acknowledgeRefund } from '../../store/subscriptions/late-payments.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { attemptResponse } from './attempt-response.ts';

type Call = CallOf<typeof operation>;

const renewalsAreHeld =
  'Renewals are held: the clock of this app is being advanced, or a clock may be wrong. Try again later.';

export function settleAttempt(store: Store, settling: SettlingOptions): OperatorHandler {
  return operatorHandler(operation, (call) => {
    const { packageName } = call.path;
    return store.database.transaction({ packageName }, async (transaction) => {
      const outcome = await settleInTransaction(transaction, store, { ...call, settling });
      return outcome instanceof Refusal ? new RolledBack(outcome) : outcome;
    });
  });
}

async function settleInTransaction(
  transaction: Queryable,
  store: Store,
  { path, body, author, recordAction, settling }: Call & { readonly settling: SettlingOptions },
) {
  const key = { ...path, periodIndex: Number(path.periodIndex), attempt: Number(path.attempt) };
  if (await isBeingAdvanced(transaction, store, path.packageName)) {
    return new Refusal('conflict', renewalsAreHeld);
  }
  const row = await lockSubscription(transaction, path);
  if (row === undefined) return noSuchSubscription(path);
  const { now, realNow, hold } = await store.clock.read(transaction, path.packageName);
  if (hold !== undefined) return new Refusal('conflict', renewalsAreHeld);
  const attempt = await findAttempt(transaction, key);
  if (attempt === undefined) {
    const detail = `Subscription ${path.firstPurchaseId} has no attempt ${key.attempt} with the periodIndex ${key.periodIndex}.`;
    return new Refusal('notFound', detail);
  }
  const { periodIndex, idempotencyKey } = attempt;
  const charge = { periodIndex, attempt: attempt.attempt, outcome: body.outcome, idempotencyKey };
  if (attempt.outcome === body.outcome) {
    const isAcknowledged = body.acknowledgeRefund === true && attempt.refundDueTime !== null;
    if (!isAcknowledged) return responded(200, attemptResponse(attempt));
    await acknowledgeRefund(transaction, attempt);
    await recordAction(transaction, path.packageName, { ...charge, refund: 'acknowledged' });
    return responded(200, attemptResponse({ ...attempt, refundDueTime: null }));
  }
  if (attempt.outcome !== null) {
    const detail = `The attempt is already settled: expected the outcome ${attempt.outcome}, got ${body.outcome}.`;
    return new Refusal('conflict', detail);
  }
  if (body.acknowledgeRefund === true) {
    const detail =
      'The attempt has no outcome yet, so no refund is due: settle it first, without acknowledgeRefund.';
    return new Refusal('conflict', detail);
  }
  const { leaseUntil } = attempt;
  if (leaseUntil !== null && isLeased(leaseUntil, realNow, attemptLeaseMs)) {
    const detail = `The charge may be in flight until ${quoteInstant(leaseUntil)}: settle it then if it is still open.`;
    return new Refusal('conflict', detail);
  }
  const { packageName } = path;
  const charged = { ...attempt, answer: { outcome: body.outcome } };
  const answered = [{ ...attempt, instant: now, unansweredSince: null, charged }];
  const given = { packageName, answered, rows: [row], realNow, author };
  const settled = await settleRenewals(transaction, settling, given);
  await appendRenewalEvents(transaction, settling, { packageName, settled, author });
  await recordAction(transaction, path.packageName, charge);
  const changed = await findAttempt(transaction, key);
  if (changed === undefined) throw new Error('A settled attempt is gone.');
  return responded(200, attemptResponse(changed));
}
