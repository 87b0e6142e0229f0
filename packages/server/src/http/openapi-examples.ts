// Examples for the OpenAPI document, made from a schema and a table of plausible values. A test holds every
// example against its schema.

import { SubscriptionRenewed } from '@opentill/contract/events.ts';
import { hints } from '@opentill/contract/logged-request.ts';
import type { TObject, TSchema } from 'typebox';

/** The bytes 0 to 31, so that nobody takes it for a real one. */
const clientSecret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const firstPurchaseId = 'SANDBOX0123456789012';
const eventId = 'evt_2_mK0s3VbXq7TnY1cZ';
const march15 = Date.UTC(2026, 2, 15, 12);
const april15 = Date.UTC(2026, 3, 15, 12);

/** By the name of the field. A field that is missing here shows the first value that its schema names. */
const values: Readonly<Record<string, unknown>> = {
  access_token: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBka',
  action: 'cancel',
  answer: '{"consumptionState":1,"purchaseId":"SANDBOX0123456789012"}',
  applied: 0,
  appTime: april15,
  autoRenewing: true,
  buyerId: 'customer-4711',
  by: 'P1M',
  client_id: 'com.example.game',
  client_secret: clientSecret,
  clientId: 'com.example.game',
  clientSecret,
  count: 1,
  createdAt: march15,
  currency: 'EUR',
  cursor: eventId,
  deliveryId: eventId,
  detail: 'coins_100: one_time, 199 EUR',
  developerPayload: 'order-1001',
  disabled: false,
  eventsAfter: 2,
  eventTime: april15,
  expires_in: 3600,
  expiresAt: march15,
  expiresIn: 0,
  expiryTime: april15,
  firstPurchaseId,
  hasMore: false,
  id: eventId,
  isAnswerCut: false,
  isRenewed: true,
  issuedAt: march15,
  keepPreviousForSeconds: 86_400,
  lastPurchaseId: firstPurchaseId,
  latencyMs: 4.2,
  madeBy: 'operator:checkout',
  method: 'POST',
  name: 'A game',
  nextPaymentTime: april15,
  now: april15,
  operationId: 'putProduct',
  order: 2,
  orderId: 'store-order-20260315-1',
  packageName: 'com.example.game',
  path: '/v2/purchase/consume/SANDBOX0123456789012/com.example.game',
  periodIndex: 0,
  price: 199,
  productId: 'coins_100',
  purchaseId: firstPurchaseId,
  purchaseTime: march15,
  rate: 1,
  requestId: 'yFz9Qk3B-2a',
  secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  since: march15,
  startTime: march15,
  time: march15,
  timeZone: 'UTC',
  title: '100 coins',
  type: 'purchase.completed',
  updatedAt: march15,
  url: 'https://shop.example/opentill',
  voidedTime: Date.UTC(2026, 2, 16, 9, 30),
};

/** What a field shows in one resource, where it differs from what the table says. */
const exceptions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ConsumptionResult: { consumptionState: 1 },
  // Of by and to, one is sent.
  ClockAdvanceRequest: { to: undefined },
  Fault: { operation: 'consumePurchase', code: 9202, times: 1 },
  NewFault: {
    operation: 'consumePurchase',
    code: 9202,
    httpStatus: undefined,
    delayMs: undefined,
    cut: undefined,
    outcome: undefined,
    times: 1,
    probability: undefined,
    seed: undefined,
  },
  SubscriptionRenewed: { purchaseId: 'SANDBOX0234567890123' },
  RequestHint: { hint: 'contentTypeMissing', explanation: hints.contentTypeMissing },
  Delivery: { type: 'subscription.renewed' },
  DeliveryAttempt: { httpStatus: 200, answer: 'ok' },
  LoggedRequest: { operationId: 'consumePurchase', httpStatus: 200 },
};

/** Optional fields of answers that an ordinary record has. */
const ordinary = new Set([
  'buyerId',
  'developerPayload',
  'name',
  'nextPaymentTime',
  'orderId',
  'record',
  'title',
]);

/** Of a schema with several shapes the one to show, where it is not the first. */
const shownShapes: Readonly<Record<string, TSchema>> = { Event: SubscriptionRenewed };

/** The value of one field, or undefined when there is nothing telling to show. */
export function exampleOfField(name: string, schema: TSchema): unknown {
  const {
    const: constant,
    anyOf,
    items,
    properties,
  } = schema as {
    readonly const?: unknown;
    readonly anyOf?: readonly { readonly const?: unknown; readonly properties?: object }[];
    readonly items?: TSchema;
    readonly properties?: object;
  };
  if (constant !== undefined) return constant;
  const [choice] = anyOf ?? [];
  if (choice?.const !== undefined) return choice.const;
  if (items !== undefined || properties !== undefined) return exampleOf(schema, 'ordinary');
  if (choice?.properties !== undefined) return exampleOf(choice as TSchema, 'ordinary');
  return values[name];
}

/** `whole` has every optional field, as a request shows them; `ordinary` those that most records have. */
export function exampleOf(schema: TSchema, extent: 'whole' | 'ordinary'): unknown {
  const { properties, required = [], $id } = schema as TObject & { readonly $id?: string };
  const { items, anyOf } = schema as { readonly items?: TSchema; readonly anyOf?: readonly TSchema[] };
  const shape = anyOf && (shownShapes[$id ?? ''] ?? anyOf[0]);
  if (shape !== undefined) return exampleOf(shape, extent);
  if (items !== undefined) return [exampleOf(items, extent)];
  if (properties === undefined) return undefined;
  const shown = Object.entries(properties as Record<string, TSchema>).filter(
    ([name]) => extent === 'whole' || (required as string[]).includes(name) || ordinary.has(name),
  );
  const fields = shown.map(([name, field]) => [name, exampleOfField(name, field)]);
  return { ...Object.fromEntries(fields), ...($id === undefined ? {} : exceptions[$id]) };
}
