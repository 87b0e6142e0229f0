import { sizes } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  generatedPurchaseId,
  isSandboxPurchaseId,
  type PurchaseId,
  parseProductId,
  parsePurchaseId,
  purchaseIdDigits,
} from '../../src/domain/identifiers.ts';
import { anyCharacter, digits, instants } from './arbitraries.ts';

const parsers = [
  ['purchase id', parsePurchaseId, sizes.purchaseId],
  ['product id', parseProductId, sizes.productId],
] as const;

describe.each(parsers)('a %s', (_name, parse, size) => {
  it('is the text itself when it has the right size and characters', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^[A-Za-z0-9._-]{1,${size}}$`)), (text) => {
        expect(parse(text)).toBe(text);
      }),
    );
  });

  it('is taken at its full size and refused one character above it', () => {
    expect(parse('a'.repeat(size))).toBe('a'.repeat(size));
    expect(parse('a'.repeat(size + 1))).toBeUndefined();
  });

  it('is refused when empty', () => {
    expect(parse('')).toBeUndefined();
  });

  it('is refused with any other character, wherever it stands', () => {
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

  it('is refused with a line end after it', () => {
    expect(parse('com.example\n')).toBeUndefined();
  });
});

describe('a generated purchase id', () => {
  it('fills the size and is a purchase id, in both environments', () => {
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

  it('begins in production with the second in UTC, as yyMMddHHmmss, and goes on with 8 of the digits', () => {
    const now = Date.UTC(2026, 1, 3, 4, 5, 6, 789);
    expect(generatedPurchaseId({ environment: 'production', now, digits: '1234567890123' })).toBe(
      '26020304050612345678',
    );
  });

  it('shows the same second for a whole second and its last millisecond', () => {
    const from = { environment: 'production', digits: '1234567890123' } as const;
    const now = Date.UTC(2026, 11, 31, 23, 59, 59);
    expect(generatedPurchaseId({ ...from, now })).toBe('26123123595912345678');
    expect(generatedPurchaseId({ ...from, now: now + 999 })).toBe('26123123595912345678');
    expect(generatedPurchaseId({ ...from, now: now + 1000 })).toBe('27010100000012345678');
  });

  it('begins in the sandbox with SANDBOX, and goes on with 13 of the digits', () => {
    const from = { environment: 'sandbox', now: Date.UTC(2026, 1, 3), digits: '12345678901234' } as const;
    expect(generatedPurchaseId(from)).toBe('SANDBOX1234567890123');
  });

  it('is never made from too few digits or from other characters', () => {
    const from = { environment: 'sandbox', now: Date.UTC(2026, 1, 3) } as const;
    expect(() => generatedPurchaseId({ ...from, digits: '123456789012' })).toThrow(RangeError);
    expect(() => generatedPurchaseId({ ...from, digits: '123456789012x' })).toThrow(RangeError);
  });
});

it('only an id that begins with SANDBOX in capitals passes for one of the sandbox', () => {
  expect(isSandboxPurchaseId('SANDBOX' as PurchaseId)).toBe(true);
  expect(isSandboxPurchaseId('SANDBO' as PurchaseId)).toBe(false);
  expect(isSandboxPurchaseId('sandbox1' as PurchaseId)).toBe(false);
  expect(isSandboxPurchaseId('1SANDBOX' as PurchaseId)).toBe(false);
});
