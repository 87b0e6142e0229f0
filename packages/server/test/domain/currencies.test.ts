// The lists of currencies, compared with those that Node.js knows.

import { problemOfNewCurrency, problemOfPastCurrency } from '@opentill/contract/currencies.ts';
import { expect, test } from 'vitest';

test('every currency that Node.js knows is listed, except units of account', () => {
  const codes = Intl.supportedValuesOf('currency');
  expect(codes.length).toBeGreaterThan(150);
  expect(codes.filter((code) => problemOfPastCurrency(code) !== undefined)).toEqual(['XDR', 'XSU']);
});

test('a currency in use may be new, and one that was withdrawn may be imported', () => {
  expect(['EUR', 'KRW', 'XCG', 'ZWG'].map(problemOfNewCurrency)).toEqual(Array(4).fill(undefined));
  expect(['DEM', 'HRK', 'BGN', 'ANG'].map(problemOfPastCurrency)).toEqual(Array(4).fill(undefined));
  expect(problemOfNewCurrency('ANG')).toContain('did you mean XCG?');
});
