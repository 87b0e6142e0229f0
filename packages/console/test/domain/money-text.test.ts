// How the console writes prices.

import { expect, test } from 'vitest';
import { moneyText, priceInput, typedPrice } from '../../src/values/money-text.ts';

test.each([
  ['minor', 'EUR', '€12.99'],
  ['minor', 'KRW', '₩1,299'],
  ['minor', 'KWD', 'KWD\u00a01.299'],
  ['minor', 'HUF', 'HUF\u00a012.99'],
  ['major', 'EUR', '€1,299'],
] as const)('1299 in %s units of %s is written as %s', (unit, currency, text) => {
  expect(moneyText({ price: 1299, currency }, unit)).toBe(text);
});

test.each([
  ['12.99', 'EUR', 1299],
  ['12,99', 'EUR', 1299],
  ['12,9', 'EUR', 1290],
  ['12', 'EUR', 1200],
  ['1,299', 'EUR', undefined],
  ['1,299', 'KWD', 1299],
  ['1299', 'KRW', 1299],
  ['12.99', 'KRW', undefined],
  ['-1', 'EUR', undefined],
  ['1 299', 'EUR', undefined],
  ['', 'EUR', undefined],
] as const)('%j typed as an amount of %s is recorded as %s', (text, currency, price) => {
  expect(typedPrice(text, currency, 'minor')).toBe(price);
});

test('the input of a price means the price', () => {
  for (const currency of ['EUR', 'KRW', 'KWD', 'CLF'])
    for (const unit of ['minor', 'major'] as const)
      for (const price of [0, 1, 99, 100, 1299, 123_456_789])
        expect(typedPrice(priceInput({ price, currency }, unit), currency, unit)).toBe(price);
});
