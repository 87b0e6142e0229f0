// When a repeated call of recordPurchase has the terms of the recorded sale.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTerms, type SentTerms, soldTerms } from '../../../src/domain/subscriptions/sold-terms.ts';

const pricesMax = 2;
const price = fc.integer({ min: 0, max: pricesMax });
const prices = Array.from({ length: pricesMax + 1 }, (_, value) => value);
const length = fc.constantFrom('P7D', 'P1M');

/** A first period has the price that would otherwise be sent as `price`. */
const terms: fc.Arbitrary<SentTerms> = fc.oneof(
  fc.record({ price, renewalPrice: price }, { requiredKeys: [] }),
  fc.record(
    { firstPeriod: fc.record({ length, price }), renewalPrice: price },
    { requiredKeys: ['firstPeriod'] },
  ),
);

test('a call has the terms of a sale exactly if it could have made that sale at some price of the product', () => {
  fc.assert(
    fc.property(terms, price, terms, (first, productPrice, sent) => {
      const sold = soldTerms(first, productPrice);
      const isOtherPrice = sent.price !== undefined && sent.price !== sold.price;
      const couldBe = prices.some((now) => {
        const made = soldTerms(sent, now);
        return (Object.keys(sold) as (keyof typeof sold)[]).every((field) => made[field] === sold[field]);
      });
      expect(compareTerms(sold, sent).length === 0 && !isOtherPrice).toBe(couldBe);
    }),
    { numRuns: 1_000 },
  );
});

const length7 = { length: 'P7D', price: 0 };

test.each<[string, SentTerms, SentTerms, readonly string[]]>([
  ['a first period that was not sent again', { firstPeriod: length7 }, {}, ['firstPeriod']],
  ['a first period that was not sold', {}, { firstPeriod: { length: 'P7D', price: 9 } }, ['firstPeriod']],
  [
    'a first period of another price',
    { firstPeriod: length7 },
    { firstPeriod: { length: 'P7D', price: 1 } },
    ['firstPeriod'],
  ],
  ['a renewal price that was not sent again', { price: 1, renewalPrice: 2 }, { price: 1 }, ['renewalPrice']],
  ['another renewal price', { renewalPrice: 2 }, { renewalPrice: 3 }, ['renewalPrice']],
])('%s is named', (_, first, sent, fields) => {
  expect(compareTerms(soldTerms(first, 9), sent)).toEqual(fields);
});

test('a one-time purchase has no terms', () => {
  expect(compareTerms(undefined, {})).toEqual([]);
  expect(compareTerms(undefined, { firstPeriod: length7, renewalPrice: 1 })).toEqual([
    'firstPeriod',
    'renewalPrice',
  ]);
});
