// Paging of lists: requests have `pageSize` and an opaque `pageToken`, responses have `nextPageToken` if there is more.

import Type, { type TSchema } from 'typebox';
import { sizes, text } from '../fields.ts';
import { pageSize } from '../limits.ts';

/** Fits the longest position, a product id of 150 characters, in base64url. */
export const pageTokenLengthMax = 512;

const pageSizeOf = (description: string, maximum: number = pageSize.max) =>
  Type.Optional(
    Type.Integer({
      minimum: pageSize.min,
      maximum,
      default: pageSize.default,
      description,
    }),
  );

/** The page size of the event feed, which is paged by cursor. */
export const pageSizeQuery = pageSizeOf('Maximum number of entries per page.');

/** The query parameters of a list that is paged by pageToken. */
export const pageQueryUpTo = (maximum: number) => ({
  pageSize: pageSizeOf(
    'Maximum number of entries per page. A page with fewer entries may still have a nextPageToken.',
    maximum,
  ),
  pageToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: pageTokenLengthMax,
      description: 'The nextPageToken of the previous page. Send it with the same filters.',
    }),
  ),
});

export const pageQuery = pageQueryUpTo(pageSize.max);

/** The filter for which nobody needs to know what kind of id a customer has named. */
export const WholeId = Type.Optional(
  text(1, sizes.buyerId, 'A whole purchaseId, orderId or buyerId.', 'order-1001'),
);

/** The response of a list, with its entries in the field `plural`. */
export function pageOf<Plural extends string, Entry extends TSchema>(
  plural: Plural,
  entry: Entry,
  maxItems: number = pageSize.max,
) {
  const entries = { [plural]: Type.Array(entry, { maxItems }) } as Record<
    Plural,
    ReturnType<typeof Type.Array<Entry>>
  >;
  return Type.Object({
    ...entries,
    nextPageToken: Type.Optional(Type.String({ description: 'Present if there are more entries.' })),
  });
}
