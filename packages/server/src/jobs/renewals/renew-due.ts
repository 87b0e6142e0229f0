// Renews a batch of due subscriptions of one app: a transaction records the attempts, the charges run outside
// of any, and another writes what the answers make of them (docs/decisions/renewals.md).

import { DatabaseUnavailable } from '../../store/database-failure.ts';
import { type Begun, beginDue } from './begin-due.ts';
import {
  type Answered,
  type AnsweredCharge,
  type BegunCharge,
  ClockIsMoved,
  type RenewalBatch,
  type RenewalParts,
  type RenewalResult,
} from './renewal-batch.ts';
import { type SettleResult, settle } from './settle.ts';

/**
 * Whatever dies in its midst, an attempt that was begun stays open with its key, and is due again when its
 * lease ends.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function renewDue(parts: RenewalParts, batch: RenewalBatch): Promise<RenewalResult> {
  if (batch.items.length === 0) return { settled: 0, open: 0, left: 0 };
  const begun = await beginDue(parts, batch);
  batch.onBegun?.();
  parts.crashPoints('afterAttempt');
  const { settled, open } = await (batch.happensAt === 'now'
    ? settleAsAnswered(parts, batch, begun)
    : settleTogether(parts, batch, begun));
  return { settled, open, left: batch.items.length - settled - open };
}

type Settling = Pick<RenewalResult, 'settled' | 'open'>;

async function charge(parts: RenewalParts, batch: RenewalBatch, begun: BegunCharge): Promise<AnsweredCharge> {
  const answer = await parts.gateway.charge(begun.charge, batch.signal);
  batch.onCharged?.(answer);
  parts.crashPoints('afterCharge');
  return { ...begun, outcome: answer.outcome };
}

async function settleTogether(parts: RenewalParts, batch: RenewalBatch, begun: Begun): Promise<Settling> {
  const charged = await Promise.all(begun.charges.map((one) => charge(parts, batch, one)));
  const answered = [...charged, ...begun.expiries];
  if (answered.length === 0) return { settled: 0, open: 0 };
  const settled = await settle(parts, batch, { answered, passOverHeld: false });
  parts.crashPoints('afterCommit');
  return settled;
}

/** A slow answer holds up no other: what has come in is settled together, while the rest is waited for. */
async function settleAsAnswered(parts: RenewalParts, batch: RenewalBatch, begun: Begun): Promise<Settling> {
  const total = { settled: 0, open: 0 };
  const failures: unknown[] = [];
  let answered: Answered[] = [];
  let settling: Promise<void> = Promise.resolve();

  const settleWaiting = async (): Promise<void> => {
    await afterOtherAnswers();
    const taken = answered;
    answered = [];
    try {
      const { settled, open } = await settleApart(parts, batch, taken);
      total.settled += settled;
      total.open += open;
    } catch (error) {
      failures.push(error);
    }
  };
  const add = (one: Answered): void => {
    if (answered.push(one) === 1) settling = settling.then(settleWaiting);
  };
  for (const expiry of begun.expiries) add(expiry);
  await Promise.all(begun.charges.map(async (one) => add(await charge(parts, batch, one))));
  await settling;
  if (failures.length > 0) throw failures[0];
  return total;
}

/** Answers that are ready now join the same transaction. */
function afterOtherAnswers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * A subscription that somebody holds, or that cannot be written, is settled by itself, so that the others of
 * its app do not wait for it.
 */
async function settleApart(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly Answered[],
): Promise<Settling> {
  const together = await settleTogetherIfSound(parts, batch, answered);
  parts.crashPoints('afterCommit');
  let { settled, open } = together;
  const failures: unknown[] = [];
  for (const one of together.passedOver) {
    try {
      const alone = await settle(parts, batch, { answered: [one], passOverHeld: false });
      settled += alone.settled;
      open += alone.open;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return { settled, open };
}

/** Passes all over when one of them is a fault of its own, as the calendar of a zone unknown here is. */
async function settleTogetherIfSound(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly Answered[],
): Promise<SettleResult> {
  try {
    return await settle(parts, batch, { answered, passOverHeld: answered.length > 1 });
  } catch (error) {
    const isOfAll = error instanceof DatabaseUnavailable || error instanceof ClockIsMoved;
    if (isOfAll || answered.length === 1) throw error;
    return { settled: 0, open: 0, passedOver: answered };
  }
}
