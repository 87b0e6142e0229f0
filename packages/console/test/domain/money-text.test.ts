// How the console writes prices.

import { expect, test } from 'vitest';
import { moneyText } from '../../src/values/money-text.ts';

test.each([
  ['minor', 'EUR', '€12.99'],
  ['minor', 'KRW', '₩1,299'],
  ['minor', 'KWD', 'KWD\u00a01.299'],
  ['minor', 'HUF', 'HUF\u00a012.99'],
  ['major', 'EUR', '€1,299'],
] as const)('1299 in %s units of %s is written as %s', (unit, currency, text) => {
  expect(moneyText({ price: 1299, currency }, unit)).toBe(text);
});
