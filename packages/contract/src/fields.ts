// The fields that the APIs share, with their sizes, patterns and schemas (the specification, "Resources and their
// fields").

import Type, { type Static, type TSchemaOptions } from 'typebox';
import { ofKind } from './field-kinds.ts';
import { patternText } from './patterns.ts';

/** Largest sizes of the specification, in characters (developerPayload and note: in code points). */
export const sizes = {
  packageName: 128,
  purchaseId: 20,
  productId: 150,
  action: 10,
  developerPayload: 200,
  continuationKey: 41,
  accessToken: 36,
  clientId: 255,
  scope: 1024,
  orderId: 64,
  buyerId: 128,
  appName: 200,
  productTitle: 200,
  keyName: 64,
  duration: 64,
  operationId: 64,
  note: 500,
  ticket: 64,
  actionSubject: 150,
  actionAuthor: 200,
} as const;

/** The first and the last instant that fit in 13 digits, in milliseconds since 1970. */
export const timestampMin = 1_000_000_000_000;
export const timestampMax = 9_999_999_999_999;

/** Ms of an app for each ms of real time; the maximum passes a month in half a minute. */
export const clockRate = { min: 0.001, max: 100_000, default: 1 } as const;

/** Highest price, in the unit of the store; the specification sets no limit. */
const priceMax = 1_000_000_000_000;

/** maxResults of getVoidedPurchases: three digits, 100 by default. */
export const maxResults = { min: 1, max: 999, default: 100 } as const;

/** No URL can have `.` or `..` as a segment of its path. */
const identifierPattern = '^(?!\\.{1,2}$)[A-Za-z0-9._-]+$';

const identifier = (size: number, description: string, example: string) =>
  patternText(identifierPattern, 'only A-Z a-z 0-9 . _ -, and neither "." nor ".."', {
    ...ofKind('id'),
    minLength: 1,
    maxLength: size,
    description,
    examples: [example],
  });

export const PackageName = identifier(sizes.packageName, 'The package name of the app.', 'com.example.game');
export const PurchaseId = identifier(sizes.purchaseId, 'The id of one purchase.', 'SANDBOX0123456789012');
export const ProductId = identifier(sizes.productId, 'The id of a product of the app.', 'coins_100');

/**
 * Rejects NUL and lone surrogates, which PostgreSQL cannot store. Under the `u` flag, which JSON Schema requires, a
 * surrogate class matches only lone surrogates.
 */
const storableText = '^[^\\u0000\\uD800-\\uDFFF]*$';

/** A text that can be stored, with its limits in characters. */
export const text = (sizeMin: number, sizeMax: number, description: string, example?: string) =>
  patternText(storableText, 'text without NUL and lone surrogates', {
    minLength: sizeMin,
    maxLength: sizeMax,
    description,
    ...(example !== undefined && { examples: [example] }),
  });

/** A union of the keys of a table. */
export const oneNameOf = <Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  options?: TSchemaOptions,
) =>
  Type.Unsafe<Name>(
    Type.Union(
      Object.keys(table).map((name) => Type.Literal(name)),
      options,
    ),
  );

/** A union of the keys of a table, described by their meanings, which are sentences. */
export const describedNameOf = <Name extends string>(meanings: Readonly<Record<Name, string>>) =>
  oneNameOf(meanings, {
    description: Object.entries(meanings)
      .map(([name, meaning]) => `${name}: ${meaning}`)
      .join(' '),
  });

/** What became of the consent that a store asked for, while auto-payment is off; null if it asked for none. */
export const Consent = describedNameOf({
  awaited: 'The store awaits the consent of its customer.',
  withdrawn: 'The customer cancelled before or after the store asked.',
});
export type Consent = Static<typeof Consent>;

export const OrderId = Type.String({
  ...text(1, sizes.orderId, "The store's order number, unique within the app.", 'order-1001'),
  ...ofKind('id'),
});
export const BuyerId = Type.String({
  ...text(1, sizes.buyerId, "The store's customer id.", 'ann'),
  ...ofKind('id'),
});
export const ClientId = text(1, sizes.clientId, 'The OAuth client_id of the app.', 'com.example.game');
export const AppName = text(1, sizes.appName, 'A display name.', 'Space Game');
export const ProductTitle = text(1, sizes.productTitle, 'A display title.');
export const DeveloperPayload = text(
  0,
  sizes.developerPayload,
  'Unique payment identifier supplied by the developer, or "".',
);

export const instant = (description: string) =>
  Type.Integer({ ...ofKind('instant'), minimum: timestampMin, maximum: timestampMax, description });

export const Timestamp = Type.Integer({
  ...instant('Milliseconds since 1970-01-01T00:00:00Z, 13 digits.'),
  examples: [1_773_576_000_000],
});

export const Duration = Type.String({
  minLength: 2,
  maxLength: sizes.duration,
  description:
    'An ISO 8601 duration such as P1M, P1Y or PT90S. Days, months and years follow the calendar in OPENTILL_TIME_ZONE.',
});

export const Environment = Type.Union([Type.Literal('sandbox'), Type.Literal('production')]);

export const ClockMode = Type.Union([Type.Literal('running'), Type.Literal('frozen')]);
export const ClockRate = Type.Number({
  minimum: clockRate.min,
  maximum: clockRate.max,
  description: 'Ms of the app for each ms of real time; 8928 makes a month of 31 days last 5 minutes.',
});

export const ConsumptionState = Type.Union([Type.Literal(0), Type.Literal(1)], {
  description: '0 = not consumed, 1 = consumed.',
});
export const PurchaseState = Type.Union([Type.Literal(0), Type.Literal(1)], {
  description: '0 = purchase completed, 1 = cancellation completed.',
});
export const CancelReason = Type.Union([Type.Literal('0'), Type.Literal('1')], {
  description: '0 = cancelled at customer request, 1 = cancelled by other system processing.',
});
export const ResponseCode = Type.Union([Type.Literal(0), Type.Literal(1)], {
  description: '0 = success, 1 = failure.',
});
export const PaymentAction = Type.Union([Type.Literal('cancel'), Type.Literal('reactivate')]);

export const Price = Type.Integer({
  ...ofKind('amount'),
  minimum: 0,
  maximum: priceMax,
  description:
    'An integer. The store decides its unit, the same for all its prices: 1299 EUR is €12.99 in minor units, and €1,299 in major units. getSession reports it as priceUnit.',
  examples: [499],
});
export const RefundAmount = Type.Integer({
  ...Price,
  description: 'What a void returns to the buyer: the price, or a smaller part of it.',
});
export const PriceUnit = Type.Union([Type.Literal('minor'), Type.Literal('major')], {
  description: 'The unit of all prices: minor (1299 EUR is €12.99) or major (1299 EUR is €1,299).',
});
export type PriceUnit = Static<typeof PriceUnit>;
export const Currency = patternText('^[A-Z]{3}$', 'three capital letters, such as EUR', {
  description: 'ISO 4217 code.',
  examples: ['EUR'],
});
export const ProductType = Type.Union([Type.Literal('oneTime'), Type.Literal('subscription')]);
export const VoidReason = Type.Union([Type.Literal('customer'), Type.Literal('system')], {
  description:
    'Who initiated it: the customer (cancelReason "0") or the store (cancelReason "1", the default).',
});
