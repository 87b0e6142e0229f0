// From the query of a list to the page that it asks for, and from the page to the answer.

import { pageSize } from '@opentill/contract/limits.ts';
import type { ProblemAnswer } from './operator-handler.ts';
import type { PageToken } from './page-token.ts';

interface RequestedPage<Position> {
  /** The last position of the page before. */
  readonly after: Position | undefined;
  readonly limit: number;
}

/** The page that a query asks for, or the answer to a pageToken that no page gave. */
export function requestedPage<Position>(
  query: { readonly pageSize?: number; readonly pageToken?: string },
  token: PageToken<Position>,
): RequestedPage<Position> | ProblemAnswer<'invalidRequest'> {
  const limit = query.pageSize ?? pageSize.default;
  if (query.pageToken === undefined) return { after: undefined, limit };
  const after = token.decode(query.pageToken);
  if (after !== undefined) return { after, limit };
  const message = 'expected the nextPageToken of a page of this list';
  return {
    problem: 'invalidRequest',
    detail: `pageToken: ${message}.`,
    errors: [{ path: 'pageToken', message }],
  };
}

/** The nextPageToken of an answer while there is more. */
export function nextPage<Position>(
  next: Position | undefined,
  token: PageToken<Position>,
): { nextPageToken?: string } {
  return next === undefined ? {} : { nextPageToken: token.encode(next) };
}

/**
 * A page of rows of which one more than `limit` were asked for: that one more is not shown, and tells that
 * there is a next page.
 */
export function pageOfRows<Row>(
  rows: readonly Row[],
  limit: number,
): { readonly shown: readonly Row[]; readonly next: Row | undefined } {
  const shown = rows.slice(0, limit);
  return { shown, next: rows.length > limit ? shown.at(-1) : undefined };
}
