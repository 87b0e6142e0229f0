// What a search over the whole store looks for, and what it finds.

import Type, { type Static } from 'typebox';
import { ActionOperation, ActionSubject } from './actions.ts';
import { EventId, EventType } from './events.ts';
import {
  AppName,
  BuyerId,
  describedNameOf,
  PackageName,
  ProductId,
  ProductTitle,
  PurchaseId,
  Timestamp,
} from './fields.ts';
import { Purchase } from './operator-resources.ts';
import { DeliveryId, DeliveryState } from './webhooks.ts';

/** What a text may be, in the order of the hits, with their descriptions. */
const searchTargets = {
  purchaseId: 'A purchaseId.',
  orderId: 'An orderId.',
  buyerId: 'A buyerId.',
  deliveryId: 'The id of a delivery.',
  eventId: 'The id of an event.',
  requestId:
    'The x-request-id of an operator call that changed something, or of a logged call of the sandbox.',
  packageName: 'The start of a packageName.',
  productId: 'The start of a productId.',
} as const satisfies Record<string, string>;

export const SearchTarget = describedNameOf(searchTargets);
export type SearchTarget = Static<typeof SearchTarget>;

/** Hits of one search. */
export const searchHitsMax = 50;

const requestId = Type.String({ description: 'The x-request-id of the call.' });
const eventFields = { type: EventType, eventTime: Timestamp, purchaseId: Type.Optional(PurchaseId) };

export const SearchHit = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('purchase'),
      packageName: PackageName,
      id: PurchaseId,
      foundBy: Type.Union([Type.Literal('purchaseId'), Type.Literal('orderId')]),
      purchase: Purchase,
    }),
    Type.Object(
      { kind: Type.Literal('buyer'), id: BuyerId },
      { description: 'A buyer with purchases, in any number of apps.' },
    ),
    Type.Object({
      kind: Type.Literal('delivery'),
      packageName: PackageName,
      id: DeliveryId,
      ...eventFields,
      state: DeliveryState,
    }),
    Type.Object(
      { kind: Type.Literal('event'), packageName: PackageName, id: EventId, ...eventFields },
      { description: 'An event that has no delivery.' },
    ),
    Type.Object(
      {
        kind: Type.Literal('action'),
        packageName: Type.Optional(PackageName),
        id: requestId,
        operationId: ActionOperation,
        time: Timestamp,
        subject: Type.Optional(ActionSubject),
      },
      { description: 'An operator call in the audit trail.' },
    ),
    Type.Object(
      {
        kind: Type.Literal('request'),
        packageName: PackageName,
        id: requestId,
        operationId: Type.String(),
        time: Timestamp,
        httpStatus: Type.Optional(Type.Integer()),
      },
      { description: 'A call in the request log of an app, in the sandbox.' },
    ),
    Type.Object({
      kind: Type.Literal('app'),
      packageName: PackageName,
      id: PackageName,
      name: Type.Optional(AppName),
    }),
    Type.Object({
      kind: Type.Literal('product'),
      packageName: PackageName,
      id: ProductId,
      title: Type.Optional(ProductTitle),
    }),
  ],
  { $id: 'SearchHit' },
);
export type SearchHit = Static<typeof SearchHit>;
