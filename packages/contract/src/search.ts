// The results of a search over the whole store.

import Type, { type Static } from 'typebox';
import { describedNameOf, PackageName, Timestamp } from './fields.ts';

/** Hits of one search. */
export const searchHitsMax = 50;

export const SearchHit = Type.Object(
  {
    kind: describedNameOf({
      purchase: 'A purchase with this purchaseId or orderId.',
      subscription: 'A subscription whose first purchase has this purchaseId or orderId.',
      buyer: 'A buyer with purchases, in any number of apps.',
      delivery: 'An event that was delivered, or will be.',
      event: 'An event without a delivery.',
      action: 'An operator call in the audit trail.',
      request: 'A call in the request log of an app, in the sandbox.',
      app: 'An app whose packageName starts with the text, or a disabled one with this packageName.',
      product: 'A product whose productId starts with the text.',
    }),
    id: Type.String({ description: 'The id; that of a call is its x-request-id.' }),
    packageName: Type.Optional(PackageName),
    about: Type.Optional(
      Type.String({
        description:
          'The productId of a purchase or subscription, the type of an event, the operationId of a call, the name of an app or the title of a product.',
      }),
    ),
    time: Type.Optional(Timestamp),
    subject: Type.Optional(
      Type.String({ description: 'The purchaseId of an event, or the id that an operator call changed.' }),
    ),
  },
  { $id: 'SearchHit' },
);
export type SearchHit = Static<typeof SearchHit>;
