// How lists are paged: `pageSize` and an opaque `pageToken` in, `nextPageToken` out while there is more.

import Type, { type TSchema } from 'typebox';
import { pageSize } from '../limits.ts';

/** Room for the longest position, a product id of 150 characters, in base64url. */
export const pageTokenLengthMax = 512;

const pageSizeOf = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: pageSize.min,
      maximum: pageSize.max,
      default: pageSize.default,
      description,
    }),
  );

/** Of a list that is not paged by pageToken. */
export const pageSizeQuery = pageSizeOf('Entries of a page at most.');

/** The query parameters of every list that is. */
export const pageQuery = {
  pageSize: pageSizeOf('Entries of a page at most; a page may hold fewer and still have a nextPageToken.'),
  pageToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: pageTokenLengthMax,
      description: 'nextPageToken of the page before. Send the same filters with it.',
    }),
  ),
};

/** The answer of a list whose entries stand under `plural`. */
export function pageOf<Plural extends string, Entry extends TSchema>(plural: Plural, entry: Entry) {
  const entries = { [plural]: Type.Array(entry, { maxItems: pageSize.max }) } as Record<
    Plural,
    ReturnType<typeof Type.Array<Entry>>
  >;
  return Type.Object({
    ...entries,
    nextPageToken: Type.Optional(Type.String({ description: 'Present when there is more.' })),
  });
}
