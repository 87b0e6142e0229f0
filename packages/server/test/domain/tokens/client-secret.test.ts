import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeClientSecret,
  hashClientSecret,
  isClientSecret,
} from '../../../src/domain/tokens/client-secret.ts';
import { instants, secrets } from '../arbitraries.ts';

describe('client secrets', () => {
  test('a client secret has no character that a form body must escape', () => {
    fc.assert(
      fc.property(secrets, (bytes) => {
        const secret = encodeClientSecret(bytes);
        expect(encodeURIComponent(secret)).toBe(secret);
        expect(Buffer.from(secret, 'base64url').equals(bytes)).toBe(true);
      }),
    );
  });

  test('encoding throws for anything but 32 bytes', () => {
    expect(() => encodeClientSecret(Buffer.alloc(31))).toThrow(RangeError);
    expect(() => encodeClientSecret(Buffer.alloc(33))).toThrow(RangeError);
  });

  test('a client secret is stored as its SHA-256', () => {
    expect(hashClientSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  test('a client secret matches at any position among the valid ones, and only there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }), instants, (all, now) => {
        const [wrong, ...valid] = all;
        const candidates = valid.map((secret) => ({ hash: hashClientSecret(secret), validUntil: null }));
        for (const secret of valid) expect(isClientSecret(secret, candidates, now)).toBe(true);
        expect(isClientSecret(wrong ?? '', candidates, now)).toBe(false);
      }),
    );
  });

  test('a client secret whose "+" arrived as spaces matches, the current one as well as the previous one', () => {
    const candidates = [
      { hash: hashClientSecret('cur+rent+'), validUntil: null },
      { hash: hashClientSecret('pre+vious'), validUntil: 5000 },
      { hash: hashClientSecret('with space'), validUntil: null },
    ];
    expect(isClientSecret('cur rent ', candidates, 4999)).toBe(true);
    expect(isClientSecret('pre vious', candidates, 4999)).toBe(true);
    expect(isClientSecret('pre vious', candidates, 5000)).toBe(false);
    expect(isClientSecret('cur rent+', candidates, 4999)).toBe(true);
    expect(isClientSecret('with space', candidates, 4999)).toBe(true);
    expect(isClientSecret('with+space', candidates, 4999)).toBe(false);
  });
});
