// Renews what is due in one app, batch after batch, until nothing is.

import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import { type Begun, beginDue } from './begin-due.ts';
import { chargeBegun } from './charge-begun.ts';
import type { ChargeSlots } from './charge-slots.ts';
import type { RenewalBatch, RenewalParts } from './renewal-batch.ts';
import type { RenewalTurns } from './renewal-turns.ts';

interface AppRenewals {
  readonly packageName: string;
  readonly parts: RenewalParts;
  readonly slots: ChargeSlots;
  readonly turns: RenewalTurns;
  /** What is due and in nobody's hand, longest due first. */
  readonly list: (limit: number) => Promise<readonly DueRenewal[]>;
  readonly batchOf: (items: readonly DueRenewal[]) => RenewalBatch;
  /** The gateway has stopped answering for this app. */
  readonly onUnanswered: (reason: string) => void;
  /** Nothing more is begun. */
  readonly signal: AbortSignal;
}

/** A batch whose attempts are recorded. */
interface BegunBatch {
  readonly batch: RenewalBatch;
  readonly begun: Begun;
}

/**
 * The next batch begins when the attempts of the one before are recorded and so much of the app's share is
 * free: one slow charge does not hold up its app.
 */
const freeShareMin = 0.5;

/** So many batches in a row that others hold: what is left is looked at again with the next look of the job. */
const leftBatchesMax = 3;

/** @throws what the first batch that failed threw, when all that were begun have ended. */
export async function renewApp(app: AppRenewals): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let leftInARow = 0;
  let onChange = (): void => undefined;

  const begin = (): Promise<BegunBatch | undefined> =>
    app.turns
      .take('begin', () => beginNext(app))
      .catch((error: unknown) => {
        failures.push(error);
        return undefined;
      });
  const finish = (next: BegunBatch): void => {
    const finished = finishBatch(app, next, () => onChange())
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        underWay.delete(finished);
        onChange();
      });
    underWay.add(finished);
  };
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      onChange = () => void (condition() && resolve());
      onChange();
    });
  const hasRoom = () => app.slots.freeShare(app.packageName) >= freeShareMin;

  const mayGoOn = () => !app.signal.aborted && failures.length === 0 && leftInARow < leftBatchesMax;
  for (let batches = 0; mayGoOn(); batches += 1) {
    // Others without answers wait for its place, and one of them may have its gateway back.
    if (batches > 0 && app.slots.isUnanswered(app.packageName)) break;
    const next = await begin();
    if (next === undefined && underWay.size === 0) break;
    if (next !== undefined) {
      const { charges, expiries } = next.begun;
      leftInARow = charges.length + expiries.length === 0 ? leftInARow + 1 : 0;
      finish(next);
    }
    await until(() => underWay.size === 0 || (next !== undefined && hasRoom()));
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/** Takes the app's free slots, and keeps one for each charge. Undefined when there is nothing to begin. */
async function beginNext(app: AppRenewals): Promise<BegunBatch | undefined> {
  const { slots, packageName } = app;
  const free = app.signal.aborted ? 0 : slots.take(packageName);
  let kept = 0;
  try {
    const items = free === 0 ? [] : await app.list(Math.min(free, app.turns.itemsMax));
    if (items.length === 0) return undefined;
    const batch = app.batchOf(items);
    const begun = await beginDue(app.parts, batch);
    app.parts.crashPoints('afterAttempt');
    kept = begun.charges.length;
    return { batch, begun };
  } finally {
    slots.giveBack(packageName, free - kept);
  }
}

function finishBatch(
  { parts, turns, slots, packageName, onUnanswered }: AppRenewals,
  { batch, begun }: BegunBatch,
  onChange: () => void,
): Promise<void> {
  return chargeBegun(parts, batch, {
    begun,
    turns,
    onCharged(answer) {
      const hasStopped = slots.end(packageName, answer.outcome);
      if (hasStopped && answer.outcome === 'unknown') onUnanswered(answer.reason);
      onChange();
    },
  });
}
