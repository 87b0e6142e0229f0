import { sizes } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  generatedPurchaseId,
  isSandboxPurchaseId,
  type PurchaseId,
  parseProductId,
  parsePurchaseId,
  purchaseIdDigits,
} from '../../src/domain/identifiers.ts';
import { anyCharacter, digits, identifiers, instants } from './arbitraries.ts';

const parsers = [
  ['purchase id', parsePurchaseId, sizes.purchaseId],
  ['product id', parseProductId, sizes.productId],
] as const;

describe.each(parsers)('%s', (name, parse, size) => {
  test(`a ${name} of valid size and characters is parsed unchanged`, () => {
    fc.assert(
      fc.property(identifiers(size), (text) => {
        expect(parse(text)).toBe(text);
      }),
    );
  });

  test(`a ${name} of the maximum size is accepted, and one character more is rejected`, () => {
    expect(parse('a'.repeat(size))).toBe('a'.repeat(size));
    expect(parse('a'.repeat(size + 1))).toBeUndefined();
  });

  test(`a ${name} that is empty, ends with a line feed, or is one or two dots, which no URL can contain, is rejected`, () => {
    for (const text of ['', 'com.example\n', '.', '..']) expect(parse(text)).toBeUndefined();
    expect(['...', '.a'].map((text) => parse(text))).toEqual(['...', '.a']);
  });

  test(`a ${name} with an invalid character at any position is rejected`, () => {
    const other = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(
        other.filter((character) => !/[A-Za-z0-9._-]/.test(character)),
        (character) => {
          expect(parse(`a${character}b`)).toBeUndefined();
          expect(parse(`${character}ab`)).toBeUndefined();
          expect(parse(`ab${character}`)).toBeUndefined();
        },
      ),
    );
  });
});

describe('generated purchase ids', () => {
  test('a generated purchase id is valid and has the full size, in both environments', () => {
    const environments = fc.constantFrom('production' as const, 'sandbox' as const);
    fc.assert(
      fc.property(environments, instants, digits(purchaseIdDigits), (environment, now, random) => {
        const purchaseId = generatedPurchaseId({ environment, now, digits: random });
        expect(purchaseId).toHaveLength(sizes.purchaseId);
        expect(parsePurchaseId(purchaseId)).toBe(purchaseId);
        expect(isSandboxPurchaseId(purchaseId)).toBe(environment === 'sandbox');
      }),
    );
  });

  test('a generated production id is the UTC second as yyMMddHHmmss and 8 of the drawn digits', () => {
    const now = Date.UTC(2026, 1, 3, 4, 5, 6, 789);
    expect(generatedPurchaseId({ environment: 'production', now, digits: '1234567890123' })).toBe(
      '26020304050612345678',
    );
  });

  test('a generated sandbox id is SANDBOX and 13 of the drawn digits', () => {
    const from = { environment: 'sandbox', now: Date.UTC(2026, 1, 3), digits: '12345678901234' } as const;
    expect(generatedPurchaseId(from)).toBe('SANDBOX1234567890123');
  });

  test('generating throws for too few digits and for other characters', () => {
    const from = { environment: 'sandbox', now: Date.UTC(2026, 1, 3) } as const;
    expect(() => generatedPurchaseId({ ...from, digits: '123456789012' })).toThrow(RangeError);
    expect(() => generatedPurchaseId({ ...from, digits: '123456789012x' })).toThrow(RangeError);
  });
});

test('only an id that starts with SANDBOX in capitals is a sandbox id', () => {
  const ids = ['SANDBOX', 'SANDBO', 'sandbox1', '1SANDBOX'] as PurchaseId[];
  expect(ids.map(isSandboxPurchaseId)).toEqual([true, false, false, false]);
});
