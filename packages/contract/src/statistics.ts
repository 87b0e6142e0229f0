// What the apps of a store sold and what became of it, by day.

import Type, { type Static } from 'typebox';
import { ofKind } from './field-kinds.ts';
import { Currency, PackageName, ProductId, Timestamp } from './fields.ts';
import { patternText } from './patterns.ts';

export const Day = patternText('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'a day such as 2026-03-15', {
  ...ofKind('day'),
  description: 'A day in the time zone of the statistics (`timeZone` of the response).',
  examples: ['2026-03-15'],
});

export const StatisticPeriod = Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month')]);
export type StatisticPeriod = Static<typeof StatisticPeriod>;

const number = (description: string) => Type.Integer({ minimum: 0, description });
const amount = (description: string) => Type.Integer({ ...number(description), ...ofKind('amount') });
const amountOf = (name: string) =>
  amount(`The sum of the prices of ${name}, in the unit that the store uses for prices.`);

/** The counts, by the day of each change. */
export const statisticCounts = {
  sold: number(
    'Purchases by their purchaseTime: one-time purchases and periods of subscriptions, without trials.',
  ),
  soldAmount: amountOf('sold'),
  trials: number('First periods of subscriptions that cost 0, which are part of started and not of sold.'),
  started: number(
    'First periods of subscriptions, trials included, by which active is counted: of one that was imported without its history, the first period that is here.',
  ),
  startedAmount: amountOf('started'),
  renewedFirst: number('Later periods that the first attempt paid, which are part of sold.'),
  renewedFirstAmount: amountOf('renewedFirst'),
  renewedLater: number('Later periods that another attempt paid, which are part of sold.'),
  renewedLaterAmount: amountOf('renewedLater'),
  voided: number('Voided purchases by their voidedTime; sold is unchanged by a void.'),
  voidedAmount: amount(
    'The sum of the refunds of voided, each at most the price, in the unit that the store uses for prices.',
  ),
  declined: number('Declined payments (subscription.payment_failed).'),
  lost: number(
    'Subscriptions that expired because a payment was declined or not made in time, or because the customer did not consent.',
  ),
  cancelled: number(
    'Cancels of auto-payment (subscription.auto_payment_cancelled), except those by which the store asked for consent.',
  ),
  expired: number('Subscriptions that expired for any reason (subscription.expired).'),
  ended: number('Subscriptions that expired or were terminated, by the end of their paid time.'),
} as const;

/** What the rows of statistics cover, in addition to periods: the whole range. */
export const StatisticGroup = Type.Union([Type.Literal('product'), Type.Literal('app')]);
export type StatisticGroup = Static<typeof StatisticGroup>;

const activeMeaning =
  'subscriptions that have started and not ended; those with an outstanding payment are included.';
const active = (when: string) => Type.Integer({ description: `${when}, ${activeMeaning}` });

export const StatisticRow = Type.Object(
  {
    period: Type.String({
      ...Day,
      description:
        'The first day of the day, week (a Monday) or month; by product or app, that of the range.',
    }),
    packageName: Type.Optional(PackageName),
    productId: Type.Optional(ProductId),
    currency: Currency,
    ...statisticCounts,
    open: number(
      'Periods that fell due in this time and are neither paid nor lost so far: those that were declined, and those that fell due over an hour ago.',
    ),
    active: Type.Optional(active('At the end of the period')),
  },
  { $id: 'StatisticRow' },
);
export type StatisticRow = Static<typeof StatisticRow>;

export const Statistics = Type.Object(
  {
    timeZone: Type.String({
      description:
        'The time zone of the days: that of the store (OPENTILL_TIME_ZONE) when its first day was counted.',
      examples: ['Europe/Berlin'],
    }),
    calledAt: Type.Integer({ ...Timestamp, description: 'When the server read this call, in real time.' }),
    countedUntil: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description:
          'Everything written before this instant, in real time, is counted. Absent while the days of an imported app are counted.',
      }),
    ),
    before: Type.Array(Type.Object({ currency: Currency, active: active('At that time') }), {
      description: 'The active subscriptions at the end of the day before `from`, unless there are none.',
    }),
    unpaid: Type.Array(
      Type.Object({
        currency: Currency,
        subscriptions: Type.Integer({ minimum: 0, description: 'How many there are.', examples: [2] }),
      }),
      {
        description:
          'The subscriptions among the active ones whose paid time was over on the last day, unless there are none: at present their next period is open, or their end is not recorded yet.',
      },
    ),
    rows: Type.Array(StatisticRow, {
      description:
        'By period and currency, in this order; by product or app, those with the most sales first. A period without a change has no row: its counts are 0, and `active` stays as it was.',
    }),
  },
  { $id: 'Statistics' },
);
export type Statistics = Static<typeof Statistics>;
