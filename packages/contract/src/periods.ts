// How long the paid time of a subscription lasts: each of its periods, and a first one of its own.

import Type, { type Static } from 'typebox';
import { ofKind } from './field-kinds.ts';
import { Price } from './fields.ts';
import { patternText } from './patterns.ts';

export const Period = Type.Union(
  [Type.Literal('P1W'), Type.Literal('P1M'), Type.Literal('P3M'), Type.Literal('P6M'), Type.Literal('P1Y')],
  {
    ...ofKind('period'),
    description:
      'The length of each period of a subscription, by the calendar: a week, one, three or six months, or a year.',
  },
);
export type Period = Static<typeof Period>;

/** Days, weeks, months or a year, and none of them shorter than three days or longer than a year. */
const firstPeriodPattern =
  '^P(?:(?:[3-9]|[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-5])D|(?:[1-9]|[1-4][0-9]|5[0-2])W|(?:[1-9]|1[0-2])M|1Y)$';

export const FirstPeriodLength = patternText(
  firstPeriodPattern,
  'a length from P3D to P1Y, such as P7D, P2W or P1M',
  {
    ...ofKind('firstPeriod'),
    description: 'The length of the first period, by the calendar: P3D to P1Y, in days, weeks or months.',
    examples: ['P7D'],
  },
);

export const FirstPeriod = Type.Object(
  { length: FirstPeriodLength, price: Price },
  {
    additionalProperties: false,
    description:
      'A first period with a length and a price of its own, of a subscription product only; a price of 0 makes it a trial. The periods after it have the length of the product, and cost renewalPrice.',
  },
);
