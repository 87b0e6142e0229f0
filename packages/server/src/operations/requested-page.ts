// Paging of lists: the page that a query asks for, and the token of the next page.

import { pageSize } from '@opentill/contract/limits.ts';
import type { PageToken } from './page-token.ts';
import { type Refusal, refuseValue } from './refusal.ts';

interface RequestedPage<Position> {
  /** The last position of the previous page. */
  readonly after: Position | undefined;
  readonly limit: number;
}

/** The page that a query asks for, or the refusal of a pageToken that is not from a page of this list. */
export function requestedPage<Position>(
  query: { readonly pageSize?: number; readonly pageToken?: string },
  token: PageToken<Position>,
): RequestedPage<Position> | Refusal<'invalidRequest'> {
  const limit = query.pageSize ?? pageSize.default;
  if (query.pageToken === undefined) return { after: undefined, limit };
  const after = token.decode(query.pageToken);
  if (after !== undefined) return { after, limit };
  return refuseValue('invalidRequest', 'pageToken', 'expected the nextPageToken of a page of this list');
}

/** The nextPageToken of a page that is not the last. */
export function nextPage<Position>(
  next: Position | undefined,
  token: PageToken<Position>,
): { nextPageToken?: string } {
  return next === undefined ? {} : { nextPageToken: token.encode(next) };
}

/** A page from up to `limit + 1` rows: the extra row is not shown, and means that there is a next page. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  limit: number,
): { readonly items: readonly Row[]; readonly next: Row | undefined } {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? items.at(-1) : undefined };
}
