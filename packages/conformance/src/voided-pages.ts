// Reads the voided list page by page.

import type { Calls } from './calls.ts';
import { fieldsOf, type HttpResponse, isObject } from './http-response.ts';
import { expectShape, expectThat } from './judgement.ts';
import { shapeProblems, VoidedEntryShape, VoidedListShape } from './shapes.ts';

export interface VoidedEntry {
  readonly purchaseId: string;
  readonly purchaseTime: number;
  readonly voidedTime: number;
}

export interface VoidedPage {
  readonly entries: readonly VoidedEntry[];
  /** The continuationKey of the request. */
  readonly ledBy: string | undefined;
}

/** Pages of one walk: enough for 2,000 voided purchases in a month. */
const pagesMax = 20;

/** Returns all pages of the voided list for a query, or what is wrong with them. */
export async function walkVoided(
  call: Calls['call'],
  query: Readonly<Record<string, string | number>> = {},
): Promise<readonly VoidedPage[] | string> {
  const pages: VoidedPage[] = [];
  let ledBy: string | undefined;
  do {
    if (pages.length === pagesMax) return `The voided list has more than ${pagesMax} pages.`;
    const withKey = ledBy === undefined ? query : { ...query, continuationKey: ledBy };
    const response = await call('getVoidedPurchases', {}, { query: withKey });
    const problem = expectShape(response, VoidedListShape) ?? entryProblems(response);
    if (problem !== undefined) return `The voided list cannot be read. ${problem}`;
    const { voidedPurchaseList, continuationKey } = fieldsOf(response);
    pages.push({ entries: voidedPurchaseList as readonly VoidedEntry[], ledBy });
    ledBy = continuationKey as string | undefined;
  } while (ledBy !== undefined);
  return pages;
}

/** Describes what is wrong with the entries of a page that is a list. */
export function entryProblems(page: HttpResponse): string | undefined {
  const entries = fieldsOf(page)['voidedPurchaseList'] as readonly unknown[];
  const problems = entries.flatMap((entry) => shapeProblems(VoidedEntryShape, entry));
  return expectThat(problems.length === 0, problems.join(' '), page);
}

export function entriesOfAll(pages: readonly VoidedPage[]): readonly VoidedEntry[] {
  return pages.flatMap(({ entries }) => entries);
}

/** The purchase ids of a page, even if its entries lack other fields. */
export function listedIds(page: HttpResponse): readonly unknown[] {
  const { voidedPurchaseList: list } = fieldsOf(page);
  return Array.isArray(list) ? list.map((entry) => (isObject(entry) ? entry['purchaseId'] : undefined)) : [];
}
