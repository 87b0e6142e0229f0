import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeClientSecret,
  hashClientSecret,
  matchesClientSecret,
} from '../../src/domain/tokens/client-secret.ts';
import { instants, secrets } from './arbitraries.ts';

describe('a client secret', () => {
  it('is written without a character that a form body would have to escape', () => {
    fc.assert(
      fc.property(secrets, (bytes) => {
        const secret = encodeClientSecret(bytes);
        expect(encodeURIComponent(secret)).toBe(secret);
        expect(Buffer.from(secret, 'base64url').equals(bytes)).toBe(true);
      }),
    );
  });

  it('is never made from anything but 32 bytes', () => {
    expect(() => encodeClientSecret(Buffer.alloc(31))).toThrow(RangeError);
    expect(() => encodeClientSecret(Buffer.alloc(33))).toThrow(RangeError);
  });

  it('is stored as its SHA-256', () => {
    expect(hashClientSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('matches wherever it stands among those that are valid, and only there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }), instants, (all, now) => {
        const [wrong, ...valid] = all;
        const candidates = valid.map((secret) => ({ hash: hashClientSecret(secret), validUntil: null }));
        for (const secret of valid) expect(matchesClientSecret(secret, candidates, now)).toBe(true);
        expect(matchesClientSecret(wrong ?? '', candidates, now)).toBe(false);
      }),
    );
  });

  it('matches until just before its end, and from its end on no more', () => {
    const candidates = [
      { hash: hashClientSecret('previous'), validUntil: 5000 },
      { hash: hashClientSecret('current'), validUntil: null },
    ];
    expect(matchesClientSecret('previous', candidates, 4999)).toBe(true);
    expect(matchesClientSecret('previous', candidates, 5000)).toBe(false);
    expect(matchesClientSecret('current', candidates, 5000)).toBe(true);
  });

  it('matches when one of two equal candidates is valid, in either order', () => {
    const ended = { hash: hashClientSecret('same'), validUntil: 1 };
    const current = { hash: hashClientSecret('same'), validUntil: null };
    expect(matchesClientSecret('same', [ended, current], 2)).toBe(true);
    expect(matchesClientSecret('same', [current, ended], 2)).toBe(true);
  });
});
