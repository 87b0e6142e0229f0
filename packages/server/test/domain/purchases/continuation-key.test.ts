import { createHmac } from 'node:crypto';
import { sizes } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PackageName } from '../../../src/domain/identifiers.ts';
import {
  type ContinuationPoint,
  decodeContinuationKey,
  encodeContinuationKey,
} from '../../../src/domain/purchases/continuation-key.ts';
import { instants, packageNames, secrets, withOneReplaced, writtenCharacters } from '../arbitraries.ts';

const points: fc.Arbitrary<ContinuationPoint> = fc
  .record({ times: fc.tuple(instants, instants, instants), lastOrder: fc.maxSafeNat() })
  .map(({ times, lastOrder }) => {
    const [start, lastVoidedTime, end] = times.toSorted((a, b) => a - b) as [number, number, number];
    return { start, end, lastVoidedTime, lastOrder };
  });

const keys = fc.record({ point: points, packageName: packageNames, secret: secrets }).map((made) => ({
  ...made,
  key: encodeContinuationKey(made.point, made.packageName, [made.secret]),
}));

describe('continuation keys', () => {
  test('a continuation key has the full size, is safe in a URL, and decodes to its range and last entry', () => {
    fc.assert(
      fc.property(keys, ({ key, point, packageName, secret }) => {
        expect(key).toHaveLength(sizes.continuationKey);
        expect(encodeURIComponent(key)).toBe(key);
        expect(decodeContinuationKey(key, packageName, [secret])).toEqual(point);
      }),
    );
  });

  test('a continuation key has the same bytes in every release', () => {
    const range = { start: 1_769_817_600_000, end: 1_772_236_800_000 };
    const point = { ...range, lastVoidedTime: 1_770_000_000_000, lastOrder: 42 };
    const key = encodeContinuationKey(point, 'com.example.game' as PackageName, [Buffer.alloc(32, 1)]);
    expect(key).toBe('1AZwRWXAAAZyhi4AAAZwcOKQAAAAAAAAAACoRCiQm');
  });

  test('a continuation key with any one character replaced is rejected', () => {
    const replacements = fc.array(writtenCharacters, { minLength: 41, maxLength: 41 });
    fc.assert(
      fc.property(keys, replacements, ({ key, packageName, secret }, characters) => {
        const forged = withOneReplaced(key, characters);
        expect(forged.length).toBeGreaterThan(0);
        for (const text of forged) expect(decodeContinuationKey(text, packageName, [secret])).toBeUndefined();
      }),
    );
  });

  test('a continuation key that is cut anywhere, followed by anything, or in the base64 alphabet is rejected', () => {
    fc.assert(
      fc.property(keys, fc.string({ minLength: 1 }), ({ key, packageName, secret }, more) => {
        for (let length = 0; length < key.length; length++) {
          expect(decodeContinuationKey(key.slice(0, length), packageName, [secret])).toBeUndefined();
        }
        expect(decodeContinuationKey(key + more, packageName, [secret])).toBeUndefined();
        const base64 = key.replaceAll('-', '+').replaceAll('_', '/');
        if (base64 !== key) expect(decodeContinuationKey(base64, packageName, [secret])).toBeUndefined();
      }),
    );
  });

  test('a continuation key of another app is rejected', () => {
    fc.assert(
      fc.property(keys, packageNames, ({ key, packageName, secret }, other) => {
        fc.pre(other !== packageName);
        expect(decodeContinuationKey(key, other, [secret])).toBeUndefined();
      }),
    );
  });

  test('a continuation key is signed with the first secret and accepted while its secret is listed', () => {
    fc.assert(
      fc.property(keys, secrets, ({ key, point, packageName, secret }, newer) => {
        fc.pre(!newer.equals(secret));
        expect(decodeContinuationKey(key, packageName, [newer, secret])).toEqual(point);
        expect(decodeContinuationKey(key, packageName, [newer])).toBeUndefined();
        const rotated = encodeContinuationKey(point, packageName, [newer, secret]);
        expect(decodeContinuationKey(rotated, packageName, [newer])).toEqual(point);
      }),
    );
  });

  const packageName = 'com.example.game' as PackageName;
  const validPoint = { start: 10, end: 30, lastVoidedTime: 20, lastOrder: 1 };
  const invalidPoints = [
    ['a start after the end', { start: 31 }],
    ['a last entry before the start', { lastVoidedTime: 9 }],
    ['a last entry after the end', { lastVoidedTime: 31 }],
    ['a negative start', { start: -1 }],
    ['a negative order', { lastOrder: -1 }],
    ['an order that a number cannot hold', { lastOrder: 2 ** 53 }],
    ['a fraction', { lastVoidedTime: 20.5 }],
  ] as const;

  /** A key made with the secret but without the encoder. */
  const signedKey = (point: ContinuationPoint, secret: Buffer) => {
    const bytes = Buffer.alloc(26);
    const instants = [point.start, point.end, point.lastVoidedTime];
    for (const [index, instant] of instants.entries()) bytes.writeUIntBE(instant, index * 6, 6);
    bytes.writeBigUInt64BE(BigInt(point.lastOrder), 18);
    const signed = ['opentill continuation key', '1', packageName, ''].join('\0');
    const mac = createHmac('sha256', secret).update(signed).update(bytes).digest().subarray(0, 4);
    return `1${Buffer.concat([bytes, mac]).toString('base64url')}`;
  };

  test.each(invalidPoints)('encoding throws for %s', (_case, change) => {
    const make = () => encodeContinuationKey({ ...validPoint, ...change }, packageName, [Buffer.alloc(32)]);
    expect(make).toThrow(RangeError);
  });

  // The bytes of a key can represent these.
  test.each(invalidPoints.slice(0, 3))('a signed continuation key with %s is rejected', (_case, change) => {
    const secret = Buffer.alloc(32, 1);
    expect(decodeContinuationKey(signedKey(validPoint, secret), packageName, [secret])).toEqual(validPoint);
    const key = signedKey({ ...validPoint, ...change }, secret);
    expect(decodeContinuationKey(key, packageName, [secret])).toBeUndefined();
  });
});
