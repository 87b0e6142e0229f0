// The pages of the voided list, and an entry around which ranges can be chosen.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type Answer, fieldsOf, responseText } from '../answer.ts';
import type { Caller } from '../calls.ts';
import {
  type Found,
  found,
  missing,
  type Providers,
  provider,
  type VoidedEntry,
  type VoidedPage,
  type VoidedPurchase,
} from '../evidence.ts';
import { expectShape } from '../judgement.ts';
import { shapeProblems, VoidedEntryShape, VoidedListShape } from '../shapes.ts';
import { sandboxCoins } from './purchases.ts';
import { msPerDay } from './subscriptions.ts';

/** A purchase of this age is within the last month, whatever the calendar and the clock skew. */
const youngDays = 26;

/** Pages of one walk: enough for 2,000 voided purchases in a month. */
const pagesMax = 20;

/** Voided purchases that are created in a sandbox, enough for several pages. */
const sandboxVoidsCount = 3;

export const voidProviders: Providers<
  | 'now'
  | 'sandboxVoids'
  | 'voidedPurchase'
  | 'listedPage'
  | 'voidedPages'
  | 'placedEntry'
  | 'firstPage'
  | 'secondPage'
> = {
  sandboxVoids: provider(['sandbox'], async ({ sandbox }) => {
    const purchaseIds: string[] = [];
    while (purchaseIds.length < sandboxVoidsCount) {
      const purchaseId = await sandbox.record(sandboxCoins);
      await sandbox.void(purchaseId);
      purchaseIds.push(purchaseId);
    }
    // The current time must be after the voids, even if the clock of the app is frozen.
    await sandbox.advance('PT1S');
    return found(purchaseIds);
  }),
  now: provider([], async (_, { machine, usesSandbox, find }) => {
    if (!usesSandbox) return found(machine.now());
    const voids = await find('sandboxVoids');
    const sandbox = await find('sandbox');
    if ('missing' in voids) return voids;
    return 'missing' in sandbox ? sandbox : found(await sandbox.found.now());
  }),
  voidedPurchase: provider([], async (_, { target, usesSandbox, find }): Promise<Found<VoidedPurchase>> => {
    const { voidedPurchase } = target.known ?? {};
    if (voidedPurchase !== undefined) return found({ purchaseId: voidedPurchase, isRecent: false });
    if (!usesSandbox) return missing('Needs --voided-purchase, or --sandbox.');
    const voids = await find('sandboxVoids');
    if ('missing' in voids) return voids;
    return found({ purchaseId: voids.found[0] ?? '', isRecent: true });
  }),
  listedPage: provider(['caller'], async ({ caller }, { usesSandbox, find }) => {
    const voids = usesSandbox ? await find('sandboxVoids') : found([]);
    if ('missing' in voids) return voids;
    const answer = await caller.call(getVoidedPurchases);
    const { voidedPurchaseList: list } = fieldsOf(answer);
    if (Array.isArray(list) && list.length > 0) return found(answer);
    return missing(`No voided purchase is listed. ${responseText(answer)}`);
  }),
  voidedPages: provider(['caller', 'listedPage'], ({ caller }) => walkVoided(caller)),
  placedEntry: provider(['voidedPages', 'now'], ({ voidedPages, now }) => {
    const isPlaced = ({ purchaseTime, voidedTime }: VoidedEntry) =>
      purchaseTime > now - youngDays * msPerDay && voidedTime < now;
    const entry = entriesOfAll(voidedPages).find(isPlaced);
    if (entry !== undefined) return found(entry);
    return missing(`The voided list has no purchase of the last ${youngDays} days.`);
  }),
  firstPage: provider(['caller', 'listedPage'], async ({ caller, listedPage }) => {
    const list = fieldsOf(listedPage)['voidedPurchaseList'] as readonly unknown[];
    if (list.length < 2) return missing('Fewer than two voided purchases are listed.');
    return found(await caller.call(getVoidedPurchases, { query: { maxResults: '1' } }));
  }),
  secondPage: provider(['caller', 'firstPage'], async ({ caller, firstPage }) => {
    const { continuationKey } = fieldsOf(firstPage);
    if (typeof continuationKey !== 'string')
      return missing(`Expected a continuationKey. ${responseText(firstPage)}`);
    return found(await caller.call(getVoidedPurchases, { query: { maxResults: '1', continuationKey } }));
  }),
};

/** Reads all pages of the voided list for a query. */
export async function walkVoided(
  caller: Caller,
  query: Readonly<Record<string, string>> = {},
): Promise<Found<readonly VoidedPage[]>> {
  const pages: VoidedPage[] = [];
  let ledBy: string | undefined;
  do {
    if (pages.length === pagesMax) return missing(`The voided list has more than ${pagesMax} pages.`);
    const withKey = ledBy === undefined ? query : { ...query, continuationKey: ledBy };
    const answer = await caller.call(getVoidedPurchases, { query: withKey });
    const entries = entriesOf(answer);
    if (entries === undefined) return missing(`The voided list cannot be read. ${responseText(answer)}`);
    pages.push({ entries, ledBy });
    ledBy = fieldsOf(answer)['continuationKey'] as string | undefined;
  } while (ledBy !== undefined);
  return found(pages);
}

export function entriesOfAll(pages: readonly VoidedPage[]): readonly VoidedEntry[] {
  return pages.flatMap(({ entries }) => entries);
}

/** The entries of a page, or undefined if the shape of the page or of an entry is wrong. */
function entriesOf(answer: Answer): readonly VoidedEntry[] | undefined {
  if (expectShape(answer, VoidedListShape) !== undefined) return undefined;
  const list = fieldsOf(answer)['voidedPurchaseList'] as readonly unknown[];
  const isWhole = list.every((entry) => shapeProblems(VoidedEntryShape, entry).length === 0);
  return isWhole ? (list as readonly VoidedEntry[]) : undefined;
}
