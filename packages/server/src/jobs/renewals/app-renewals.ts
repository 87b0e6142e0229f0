// Renews what is due in one app, batch after batch, until nothing is.

import type { DueRenewal } from '../../store/due-renewals.ts';
import type { ChargeSlots } from './charge-slots.ts';
import type { RenewalBatch, RenewalResult } from './renewal-batch.ts';

export interface AppRenewals {
  readonly packageName: string;
  readonly slots: ChargeSlots;
  /** What is due and in nobody's hand, longest due first. */
  readonly list: (limit: number) => Promise<readonly DueRenewal[]>;
  readonly renew: (
    items: readonly DueRenewal[],
    told: Pick<RenewalBatch, 'onBegun' | 'onCharged'>,
  ) => Promise<RenewalResult>;
  /** The gateway has stopped answering for this app. */
  readonly onUnanswered: (reason: string) => void;
  readonly signal: AbortSignal;
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
  const newest = { hasBegun: true, leftInARow: 0 };
  let onChange = (): void => undefined;

  const begin = (items: readonly DueRenewal[]): void => {
    newest.hasBegun = false;
    const onBegun = (): void => {
      newest.hasBegun = true;
      onChange();
    };
    const batch = renewBatch(app, items, { onBegun, onCharged: () => onChange() })
      .then(({ settled, open }) => {
        newest.leftInARow = settled + open === 0 ? newest.leftInARow + 1 : 0;
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        underWay.delete(batch);
        onChange();
      });
    underWay.add(batch);
  };
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      onChange = () => void (condition() && resolve());
      onChange();
    });

  const mayGoOn = () => !app.signal.aborted && failures.length === 0 && newest.leftInARow < leftBatchesMax;
  for (let batches = 0; mayGoOn(); batches += 1) {
    // Others without answers wait for its place, and one of them may have its gateway back.
    if (batches > 0 && app.slots.isUnanswered(app.packageName)) break;
    const items = await listForSlots(app);
    if (items.length === 0 && underWay.size === 0) break;
    const hasMore = items.length > 0;
    if (hasMore) begin(items);
    const hasRoom = () => newest.hasBegun && app.slots.freeShare(app.packageName) >= freeShareMin;
    await until(() => underWay.size === 0 || (hasMore && hasRoom()));
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/** Takes the app's free slots, and keeps one for each item. */
async function listForSlots({ slots, packageName, list }: AppRenewals): Promise<readonly DueRenewal[]> {
  const free = slots.take(packageName);
  if (free === 0) return [];
  let items: readonly DueRenewal[] = [];
  try {
    items = await list(free);
    return items;
  } finally {
    slots.giveBack(packageName, free - items.length);
  }
}

async function renewBatch(
  { slots, packageName, renew, onUnanswered }: AppRenewals,
  items: readonly DueRenewal[],
  told: { readonly onBegun: () => void; readonly onCharged: () => void },
): Promise<RenewalResult> {
  let uncharged = items.length;
  try {
    return await renew(items, {
      onBegun: told.onBegun,
      onCharged(answer) {
        uncharged -= 1;
        const hasStopped = slots.end(packageName, answer.outcome);
        if (hasStopped && answer.outcome === 'unknown') onUnanswered(answer.reason);
        told.onCharged();
      },
    });
  } finally {
    slots.giveBack(packageName, uncharged);
  }
}
