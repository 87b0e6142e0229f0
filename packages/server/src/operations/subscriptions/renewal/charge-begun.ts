// Charges what a transaction has begun, outside of any, and settles in others what is answered
// (docs/decisions/renewals.md).

import { DatabaseUnavailable } from '../../../store/connection/database-failure.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import type { Begun } from './begin-due.ts';
import {
  type Answered,
  type AnsweredCharge,
  type BegunCharge,
  ClockIsMoved,
  type RenewalBatch,
  type RenewalParts,
} from './renewal-batch.ts';
import type { RenewalTurns } from './renewal-turns.ts';
import { settle } from './settle.ts';

export async function charge(
  parts: RenewalParts,
  batch: RenewalBatch,
  begun: BegunCharge,
  onCharged?: (answer: ChargeAnswer) => void,
): Promise<AnsweredCharge> {
  const answer = await parts.gateway.charge(begun.charge, batch.signal);
  onCharged?.(answer);
  parts.crashPoints('afterCharge');
  return { ...begun, outcome: answer.outcome };
}

interface Charging {
  readonly begun: Begun;
  readonly turns: RenewalTurns;
  /** Told of each charge as its answer comes. */
  readonly onCharged: (answer: ChargeAnswer) => void;
}

/**
 * A slow answer holds up no other: what has come in when it is the batch's turn is settled together, while the
 * rest is waited for. What could not be settled stays open with its key, and is due again when its lease ends.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function chargeBegun(
  parts: RenewalParts,
  batch: RenewalBatch,
  { begun, turns, onCharged }: Charging,
): Promise<void> {
  const failures: unknown[] = [];
  const settlings: Promise<void>[] = [];
  let answered: Answered[] = [];

  const settleAnswered = async (): Promise<void> => {
    const passedOver = await turns.take('settle', () => {
      const taken = answered;
      answered = [];
      return settleTogether(parts, batch, taken);
    });
    await settleApart(parts, batch, passedOver);
  };
  const add = (one: Answered): void => {
    if (answered.push(one) > 1) return;
    settlings.push(settleAnswered().catch((error: unknown) => void failures.push(error)));
  };
  for (const expiry of begun.expiries) add(expiry);
  const charges: Promise<void>[] = [];
  for (const one of begun.charges) {
    charges.push(charge(parts, batch, one, onCharged).then(add));
    await whatWaits();
  }
  await Promise.all(charges);
  await Promise.all(settlings);
  if (failures.length > 0) throw failures[0];
}

/** Lets what has come in meanwhile, the calls of others above all, go before the next charge. */
function whatWaits(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Gives what is to be settled by itself, so that the others of its app do not wait for it: a subscription that
 * somebody holds, and all of them when one is a fault of its own, as the calendar of a zone unknown here is.
 */
async function settleTogether(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly Answered[],
): Promise<readonly Answered[]> {
  try {
    const { passedOver } = await settle(parts, batch, { answered, passOverHeld: true });
    parts.crashPoints('afterCommit');
    return passedOver;
  } catch (error) {
    const isOfAll = error instanceof DatabaseUnavailable || error instanceof ClockIsMoved;
    if (isOfAll) throw error;
    return answered;
  }
}

/** Each in a transaction of its own, which waits for who holds its row; so it waits for no turn. */
async function settleApart(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly Answered[],
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of answered) {
    try {
      await settle(parts, batch, { answered: [one], passOverHeld: false });
      parts.crashPoints('afterCommit');
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
