// Tokens that were cut short: how long each lives, and how many are told apart.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TokenStamp } from '../../src/domain/access-token.ts';
import {
  cutsMax,
  type ShortenedTokens,
  shortenedExpiry,
  unlikeShortened,
  withCut,
} from '../../src/domain/shortened-token.ts';

const stampAt = (issuedAtSeconds: number, generation = 1): TokenStamp => ({
  keyId: 1,
  generation,
  issuedAtSeconds,
});

/** Cuts of tokens of growing age, as one newest token follows another. */
const histories = fc
  .array(fc.record({ after: fc.integer({ min: 1, max: 4_000 }), expiresAt: fc.nat() }), {
    minLength: 1,
    maxLength: 60,
    // Most have more cuts than are told apart.
    size: 'max',
  })
  .map((steps) => {
    let issuedAt = 1_000_000;
    return steps.map(({ after, expiresAt }) => {
      issuedAt += after;
      return { token: stampAt(issuedAt), expiresAt };
    });
  });

function cutAll(history: readonly { token: TokenStamp; expiresAt: number }[]): ShortenedTokens {
  return history.reduce<ShortenedTokens | undefined>(
    (shortened, { token, expiresAt }) => withCut(shortened, token, expiresAt),
    undefined,
  ) as ShortenedTokens;
}

test('the last cuts are told apart, and tokens before them are at their end', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const shortened = cutAll(history);
      expect(shortened.cuts.length).toBeLessThanOrEqual(cutsMax);
      for (const [index, { token, expiresAt }] of history.entries()) {
        const isKept = index >= history.length - cutsMax;
        expect(shortenedExpiry(shortened, token)).toBe(isKept ? expiresAt : 0);
      }
    }),
  );
});

test('no token is lengthened by a cut of another one', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (history, expiresAt) => {
      const before = cutAll(history);
      const next = stampAt((history.at(-1)?.token.issuedAtSeconds ?? 0) + 1);
      const after = withCut(before, next, expiresAt);
      for (const { token } of history) {
        const was = shortenedExpiry(before, token) ?? Number.POSITIVE_INFINITY;
        expect(shortenedExpiry(after, token)).toBeLessThanOrEqual(was);
      }
    }),
  );
});

test('a token that was not cut, and one of another generation, lives out its time', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const shortened = cutAll(history);
      const newest = history.at(-1)?.token.issuedAtSeconds ?? 0;
      expect(shortenedExpiry(shortened, stampAt(newest + 1))).toBeUndefined();
      for (const { token } of history) {
        expect(shortenedExpiry(shortened, { ...token, generation: 2 })).toBeUndefined();
      }
    }),
  );
});

test('a new token is never one of those that were cut, and no second later than that takes', () => {
  fc.assert(
    fc.property(histories, fc.nat(), fc.nat(2), (history, drawn, after) => {
      const shortened = cutAll(history);
      const cutAt = history[drawn % history.length]?.token.issuedAtSeconds ?? 0;
      const second = cutAt + after;
      const lastCutAt = history.at(-1)?.token.issuedAtSeconds ?? 0;
      const issued = unlikeShortened(shortened, stampAt(second));
      expect(issued).toEqual(stampAt(Math.max(second, lastCutAt + 1)));
      expect(shortenedExpiry(shortened, issued)).toBeUndefined();
      expect(unlikeShortened(shortened, stampAt(second, 2))).toEqual(stampAt(second, 2));
    }),
  );
});

test('20 cuts are told apart', () => {
  expect(cutsMax).toBe(20);
});

test('a token that is cut again has its newest end, and takes one place', () => {
  const twice = withCut(withCut(undefined, stampAt(5), 9), stampAt(5), 7);
  expect(twice.cuts).toEqual([{ keyId: 1, issuedAtSeconds: 5, expiresAt: 7 }]);
});

test('a cut is of one token: that of another key lives out its time, although of the same second', () => {
  const shortened = withCut(undefined, stampAt(5), 9);
  expect(shortenedExpiry(shortened, { ...stampAt(5), keyId: 2 })).toBeUndefined();
});

test('a cut of the next generation forgets those before', () => {
  const shortened = withCut(cutAll([{ token: stampAt(5), expiresAt: 1 }]), stampAt(9, 2), 7);
  expect(shortened).toEqual({
    generation: 2,
    endedUntilSeconds: 0,
    cuts: [{ keyId: 1, issuedAtSeconds: 9, expiresAt: 7 }],
  });
});
