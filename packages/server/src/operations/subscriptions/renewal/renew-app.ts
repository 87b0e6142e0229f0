// Renews what is due in one app, batch after batch, until nothing is (docs/decisions/subscriptions.md).

import type PQueue from 'p-queue';
import { hourMs } from '../../../domain/time.ts';
import type { AdaptiveLimit, AdaptiveLimits } from '../../../runtime/adaptive-limit.ts';
import { logAlert } from '../../../runtime/alert-lines.ts';
import { FixedWindows } from '../../../runtime/fixed-windows.ts';
import type { Author } from '../../../store/events/events.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import type { BegunRenewal } from './begin-renewals.ts';
import { beginBatch, finishBatch, type RenewalBatch } from './renew-batch.ts';
import type { RenewalOptions } from './renewal-options.ts';

/** Slots for charges in flight, each with a connection to the gateway. An app is a key. */
export const chargeLimits = {
  // At half a second a charge, a server makes 500 of them a second.
  total: 256,
  // Apps that respond never wait for others.
  crowdedFrom: 256,
  perKeyMax: 64,
  initial: 8,
  // One charge without an answer leaves its app one slot.
  noResponseCost: 64,
  unresponsiveMax: 32,
} as const satisfies AdaptiveLimits;

/** The next batch begins when the one before has begun and this share of the app's slots is free. */
const freeShareMin = 0.5;

/** After this many batches in a row that other servers have leased, the rest is left to the next poll. */
const emptyBatchesMax = 3;

/** For a job: counts the unclear answers of each app and cause, the first of which in an hour is logged. */
export const unclearAnswers = () => new FixedWindows({ windowMs: hourMs, keysMax: 10_000 });

interface AppRenewals {
  readonly packageName: string;
  readonly unclear: FixedWindows;
  /** Open for the app. */
  readonly slots: AdaptiveLimit;
  /** Runs the transactions of the job one at a time, so that they use one connection at most. */
  readonly transactions: PQueue;
  /** Lists what is due and unleased, oldest first. */
  readonly listDue: (limit: number) => Promise<readonly DueRenewal[]>;
  readonly nextAuthor: () => Author;
  /** Aborts charges in flight. */
  readonly charging: AbortSignal;
  /** Nothing more begins. */
  readonly stopping: AbortSignal;
}

/** @throws the failure of the first batch that failed, when all batches have ended. */
export async function renewApp(options: RenewalOptions, app: AppRenewals): Promise<void> {
  const { packageName, slots, transactions, stopping } = app;
  const batches = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  let changed = Promise.withResolvers<void>();
  const onChange = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  let emptyBatches = 0;
  for (let isFirst = true; emptyBatches < emptyBatchesMax; isFirst = false) {
    if (stopping.aborted || failures.length > 0) break;
    // Other unresponsive apps wait for its place.
    if (!isFirst && slots.isUnresponsive(packageName)) break;
    const batch = { packageName, author: app.nextAuthor(), charging: app.charging };
    const begun = await transactions.add(() => beginNext(options, app, batch)).catch(onFailure);
    if (begun === undefined && batches.size === 0) break;
    if (begun !== undefined) {
      emptyBatches = begun.length === 0 ? emptyBatches + 1 : 0;
      const finished = finishBatch(options, batch, {
        begun,
        transactions,
        onAnswer(answer) {
          releaseSlot(options, app, answer);
          onChange();
        },
        onNotSent() {
          slots.release(packageName, 'unused');
          onChange();
        },
      })
        .catch(onFailure)
        .finally(() => {
          batches.delete(finished);
          onChange();
        });
      batches.add(finished);
    }
    // In the sandbox one batch ends before the next begins, so that everything happens in order of time.
    const mayOverlap = options.environment === 'production' && begun !== undefined;
    const mayGoOn = () => mayOverlap && slots.freeShare(packageName) >= freeShareMin;
    while (batches.size > 0 && !mayGoOn()) await changed.promise;
  }
  await Promise.all(batches);
  if (failures.length > 0) throw failures[0];
}

/** Acquires slots, and keeps one for each charge that begins; undefined if nothing is due. */
async function beginNext(
  options: RenewalOptions,
  { packageName, slots, listDue, stopping }: AppRenewals,
  batch: RenewalBatch,
): Promise<BegunRenewal[] | undefined> {
  if (stopping.aborted) return undefined;
  let unused = 0;
  while (slots.acquire(packageName)) unused += 1;
  try {
    const due = unused === 0 ? [] : await listDue(unused);
    if (due.length === 0) return undefined;
    const begun = await beginBatch(options, batch, due);
    options.testing?.crashPoints('afterAttempt');
    unused -= begun.filter(({ kind }) => kind === 'charge').length;
    return begun;
  } finally {
    for (let released = 0; released < unused; released += 1) slots.release(packageName, 'unused');
  }
}

function releaseSlot(
  { log, clock }: RenewalOptions,
  { packageName, unclear, slots }: AppRenewals,
  answer: ChargeAnswer,
): void {
  slots.release(packageName, answer.outcome === 'unknown' ? 'noResponse' : 'response');
  if (answer.outcome !== 'unknown') return;
  const { status, reason } = answer;
  const { count } = unclear.count(`${packageName} ${status} ${reason}`, clock.now());
  if (count === 1) logAlert(log, 'gatewaySilent', { app: packageName, status, reason });
}
