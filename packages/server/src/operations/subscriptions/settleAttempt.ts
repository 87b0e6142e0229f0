// Settles an attempt to charge a month by hand, with the effect of the same answer of the gateway.

import { settleAttempt as operation } from '@opentill/contract/operator-api/settleAttempt.ts';
import { attemptLeaseMs, isLeased } from '../../domain/clocks/leases.ts';
import { quoteInstant } from '../../domain/quoted-value.ts';
import type { AttemptNumber, ChargeWindow } from '../../domain/subscriptions/renewal.ts';
import { type Queryable, RolledBack } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import { findAttempt, type ListedAttempt } from '../../store/subscriptions/attempt-lists.ts';
import { findNewestAttempts } from '../../store/subscriptions/renewal-attempts.ts';
import { readRenewalState } from '../../store/subscriptions/renewal-pauses.ts';
import { type LockedSubscription, lockSubscription } from '../../store/subscriptions/subscriptions.ts';
import { answered, type CallOf, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { attemptResponse } from './attempt-response.ts';
import { isBeingAdvanced } from './renewal/begin-renewals.ts';
import type { SettlingOptions } from './renewal/renewal-options.ts';
import { settleConflict } from './renewal/settle-conflict.ts';
import { appendRenewalEvents, settleRenewals } from './renewal/settle-renewals.ts';

type Call = CallOf<typeof operation>;

const renewalsAreHeld =
  'Renewals are held: the clock of this app is being advanced, or a clock may be wrong. Try again later.';

export function settleAttempt({ database }: Store, settling: SettlingOptions): OperatorHandler {
  return operatorHandler(operation, (call) => {
    const { packageName } = call.path;
    return database.transaction({ packageName }, async (transaction) => {
      const outcome = await settle(transaction, settling, call);
      return outcome instanceof Refusal ? new RolledBack(outcome) : outcome;
    });
  });
}

async function settle(transaction: Queryable, settling: SettlingOptions, call: Call) {
  const { path, body } = call;
  const key = { ...path, periodIndex: Number(path.periodIndex), attempt: Number(path.attempt) };
  if (await isBeingAdvanced(transaction, settling, path.packageName)) {
    return new Refusal('conflict', renewalsAreHeld);
  }
  const row = await lockSubscription(transaction, path);
  if (row === undefined) return noSuchSubscription(path);
  const { now, realNow, hold } = await settling.clock.read(transaction, path.packageName);
  if (hold !== undefined) return new Refusal('conflict', renewalsAreHeld);
  const attempt = await findAttempt(transaction, key);
  if (attempt === undefined) {
    const detail = `Subscription ${path.firstPurchaseId} has no attempt ${key.attempt} with the periodIndex ${key.periodIndex}.`;
    return new Refusal('notFound', detail);
  }
  if (attempt.conflictTime === null && attempt.outcome !== null) {
    if (attempt.outcome === body.outcome) return answered(200, attemptResponse(attempt));
    const detail = `The attempt is already settled: expected the outcome ${attempt.outcome}, got ${body.outcome}.`;
    return new Refusal('conflict', detail);
  }
  const { leaseUntil } = attempt;
  if (leaseUntil !== null && isLeased(leaseUntil, realNow, attemptLeaseMs)) {
    const detail = `The charge may be in flight until ${quoteInstant(leaseUntil)}: settle it then if it is still open.`;
    return new Refusal('conflict', detail);
  }
  const isInConflict = attempt.conflictTime !== null;
  const decided = { call, row, attempt, now, realNow };
  if (isInConflict) {
    const refusal = await writeConflictOutcome(transaction, settling, decided);
    if (refusal !== undefined) return refusal;
  } else await writeOutcome(transaction, settling, decided);
  const settled = await findAttempt(transaction, key);
  if (settled === undefined) throw new Error('A settled attempt is gone.');
  return answered(200, attemptResponse(settled));
}

interface Settling {
  readonly call: Call;
  readonly row: LockedSubscription;
  readonly attempt: ListedAttempt;
  readonly now: number;
  readonly realNow: number;
}

async function writeOutcome(
  transaction: Queryable,
  settling: SettlingOptions,
  { call: { body, author, recordAction }, row, attempt, now, realNow }: Settling,
): Promise<void> {
  const { packageName, firstPurchaseId } = attempt;
  const { outcome } = body;
  const window = await readWindow(transaction, settling, { packageName, now });
  const charged = { charge: attempt, answer: { outcome } };
  const settled = await settleRenewals(transaction, settling, {
    packageName,
    answered: [{ firstPurchaseId, instant: now, window, charged }],
    rows: [row],
    realNow,
    author,
  });
  await appendRenewalEvents(transaction, settling, { packageName, settled, author });
  await recordAction(transaction, packageName, `${nameOf(attempt)}: ${outcome}`);
}

async function writeConflictOutcome(
  transaction: Queryable,
  settling: SettlingOptions,
  { call: { body, author, recordAction }, row, attempt, now }: Settling,
): Promise<Refusal<'conflict'> | undefined> {
  const { packageName, firstPurchaseId, idempotencyKey } = attempt;
  const { outcome } = body;
  if (outcome === 'declined_final') {
    return new Refusal('conflict', 'The attempt is in conflict: expected the outcome paid or declined.');
  }
  const keys = { packageName, firstPurchaseIds: [firstPurchaseId] };
  const newest = (await findNewestAttempts(transaction, keys)).get(firstPurchaseId);
  // If it is paid as well, its month exists and its money has to be refunded.
  if (outcome === 'paid' && newest?.outcome === null) {
    return new Refusal('conflict', `Settle ${nameOf(newest)} first: it has no outcome yet.`);
  }
  const window = await readWindow(transaction, settling, { packageName, now });
  const settlement = { row, attempt, outcome, now, window, author };
  const { settled, isRefundDue } = await settleConflict(transaction, settling, settlement);
  await appendRenewalEvents(transaction, settling, { packageName, settled, author });
  const refund = isRefundDue ? `; the month was paid by another attempt: refund ${idempotencyKey}` : '';
  await recordAction(transaction, packageName, `${nameOf(attempt)}: ${outcome}${refund}`);
  return undefined;
}

async function readWindow(
  transaction: Queryable,
  { graceMs }: SettlingOptions,
  { packageName, now }: { readonly packageName: string; readonly now: number },
): Promise<ChargeWindow> {
  const { isPaused, resumedAt } = await readRenewalState(transaction, packageName);
  // Lateness will count from the resume, which is not before now.
  return { graceMs, resumedTime: isPaused ? now : (resumedAt ?? undefined) };
}

function nameOf({ periodIndex, attempt }: AttemptNumber): string {
  return `month ${periodIndex + 1}, attempt ${attempt}`;
}
