// The statements of an app: its closed months, which never change, and the open one.

import Type, { type Static } from 'typebox';
import { ofKind } from './field-kinds.ts';
import { Currency, OrderId, PackageName, ProductId, PurchaseId, Timestamp } from './fields.ts';
import { soFar } from './open-month.ts';
import { patternText } from './patterns.ts';

const monthPattern = '[0-9]{4}-(?:0[1-9]|1[0-2])';

export const MonthName = patternText(`^${monthPattern}$`, 'a month such as 2026-03');

export const StatementName = patternText(
  `^(?:${monthPattern}|${soFar})$`,
  `a month such as 2026-03, or ${soFar}`,
  {
    description: `A closed month such as 2026-03, or ${soFar} for what has happened since the last one.`,
    examples: ['2026-03'],
  },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const amount = (description: string) => Type.Integer({ ...ofKind('amount'), minimum: 0, description });
const amountOf = (name: string) =>
  amount(`The sum of the prices of ${name}, in the unit that the store uses for prices.`);

/** What is stored of each product and currency. */
export const statementCounts = {
  sales: count('One-time purchases, and first periods of subscriptions that cost something.'),
  salesAmount: amountOf('sales'),
  trials: count('First periods of subscriptions that cost 0.'),
  renewals: count('Later periods of subscriptions.'),
  renewalsAmount: amountOf('renewals'),
  refunds: count('Voids.'),
  refundsAmount: amount('The sum of what the voids returned to buyers.'),
} as const;
export type StatementCounts = { readonly [Name in keyof typeof statementCounts]: number };

const sums = {
  currency: Currency,
  ...statementCounts,
  netAmount: Type.Integer({
    ...ofKind('amount'),
    description: 'salesAmount and renewalsAmount less refundsAmount.',
  }),
};

export const StatementTotal = Type.Object(sums, { $id: 'StatementTotal' });
export type StatementTotal = Static<typeof StatementTotal>;

const ProductTotal = Type.Object({ productId: ProductId, ...sums }, { $id: 'StatementOfProduct' });

const order = (description: string) => Type.Integer({ minimum: 0, description });

export const Statement = Type.Object(
  {
    packageName: PackageName,
    name: StatementName,
    timeZone: Type.String({
      description: 'The time zone in which the month ends: that of the statistics when it closed.',
      examples: ['Europe/Berlin'],
    }),
    firstOrder: order('The order of its first event, one more than the last order of the month before.'),
    lastOrder: order('The order of its last event; one less than firstOrder if it has none.'),
    closedAt: Type.Optional(
      Type.Integer({ ...Timestamp, description: 'When it closed, in real time; absent while it is open.' }),
    ),
    isFirst: Type.Optional(
      Type.Literal(true, {
        description:
          'It is the first statement of the app here. Sales before it, which were imported without events, are in none.',
      }),
    ),
    isIncomplete: Type.Optional(
      Type.Literal(true, {
        description: 'Some of its events were removed before it closed, in a sandbox only: it has no totals.',
      }),
    ),
    totals: Type.Array(StatementTotal, {
      description: 'The sums of each currency with an entry; currencies are never added.',
    }),
  },
  {
    $id: 'Statement',
    description:
      'The events of an app from firstOrder to lastOrder. What was booked late, after its month had closed, is in a later one.',
  },
);
export type Statement = Static<typeof Statement>;

export const StatementOfProducts = Type.Object(
  {
    ...Statement.properties,
    products: Type.Array(ProductTotal, { description: 'The sums of each product and currency.' }),
  },
  { $id: 'StatementOfProducts' },
);
export type StatementOfProducts = Static<typeof StatementOfProducts>;

const Kind = Type.Union(
  ['sale', 'trial', 'renewal', 'refund'].map((kind) => Type.Literal(kind)) as [
    Type.TLiteral<'sale'>,
    Type.TLiteral<'trial'>,
    Type.TLiteral<'renewal'>,
    Type.TLiteral<'refund'>,
  ],
);

/** A line of the file of a statement. */
export const StatementLine = Type.Object(
  {
    purchaseTime: Type.Integer({ ...Timestamp, description: 'When it was sold.' }),
    bookedTime: Type.Integer({ ...Timestamp, description: 'The eventTime of its event.' }),
    eventOrder: Type.Integer({ minimum: 1 }),
    purchaseId: PurchaseId,
    orderId: Type.Optional(OrderId),
    productId: ProductId,
    kind: Kind,
    amount: Type.Integer({ ...ofKind('amount'), description: 'Negative for a refund.' }),
    currency: Currency,
  },
  { $id: 'StatementLine' },
);
export type StatementLine = Static<typeof StatementLine>;
