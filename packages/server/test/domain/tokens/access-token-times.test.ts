import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockDifferenceSecondsMax } from '../../../src/domain/clocks/clock-hold.ts';
import {
  cutEnd,
  decideToken,
  isTokenLive,
  renewalWindowSeconds,
  type TokenStamp,
  tokenExpiresAt,
  tokenLifetimeSeconds,
} from '../../../src/domain/tokens/access-token.ts';

const issuedAtSeconds = 1_770_000_000;
const issuedAt = issuedAtSeconds * 1000;
const newest: TokenStamp = { keyId: 1, generation: 5, issuedAtSeconds };

const decide = (change: Partial<Parameters<typeof decideToken>[0]>) =>
  decideToken({
    newest,
    generation: 5,
    now: issuedAt,
    signingKeyId: 1,
    knownKeyIds: new Set([1]),
    ...change,
  });

const secondsBeforeEnd = (seconds: number) => issuedAt + (tokenLifetimeSeconds - seconds) * 1000;

describe('the lifetime of a token', () => {
  const isLiveAt = (now: number) => isTokenLive({ claims: newest, now });

  test('a token is valid until the last millisecond before its end, and not at its end', () => {
    const end = tokenExpiresAt(newest);
    expect(end).toBe(issuedAt + 3_600_000);
    expect(isLiveAt(end - 1)).toBe(true);
    expect(isLiveAt(end)).toBe(false);
  });

  test('a token from a clock up to 60 seconds ahead is valid, and one from further ahead is not', () => {
    expect(clockDifferenceSecondsMax).toBe(60);
    expect(isLiveAt(issuedAt - 60_000)).toBe(true);
    expect(isLiveAt(issuedAt - 61_000)).toBe(false);
  });
});

describe('reuse of the newest token', () => {
  test('a token is reused while at least 600 seconds remain, with its remaining lifetime as expires_in', () => {
    expect(renewalWindowSeconds).toBe(600);
    expect(decide({ now: secondsBeforeEnd(601) })).toEqual({ reuse: newest, expiresIn: 601 });
    expect(decide({ now: secondsBeforeEnd(600) })).toEqual({ reuse: newest, expiresIn: 600 });
  });

  test('a new token with the whole lifetime is issued as soon as less than 600 seconds remain', () => {
    const now = secondsBeforeEnd(599);
    const issue = { keyId: 1, generation: 5, issuedAtSeconds: now / 1000 };
    expect(decide({ now })).toEqual({ issue, expiresIn: 3600 });
    const justAfter = decide({ now: secondsBeforeEnd(600) + 1 });
    expect(justAfter).toMatchObject({ issue: expect.anything(), expiresIn: 3600 });
  });

  test('a token of another generation than the current one is not reused', () => {
    const issue = { keyId: 1, generation: 6, issuedAtSeconds };
    expect(decide({ generation: 6 })).toEqual({ issue, expiresIn: 3600 });
    expect(decide({ generation: 4 })).toHaveProperty('issue.generation', 4);
  });

  test('a token whose signing key this server does not know is not reused', () => {
    const issue = { keyId: 2, generation: 5, issuedAtSeconds };
    expect(decide({ signingKeyId: 2, knownKeyIds: new Set([2]) })).toEqual({ issue, expiresIn: 3600 });
  });

  test('a token of an earlier key that is still listed is reused', () => {
    expect(decide({ signingKeyId: 2, knownKeyIds: new Set([2, 1]) })).toHaveProperty('reuse', newest);
  });

  test('a token that this server would reject is not reused', () => {
    expect(decide({ now: issuedAt - 61_000 })).toHaveProperty('issue');
  });
});

describe('a token cutoff', () => {
  const cut = { issuedAtSeconds, endsAt: issuedAt + 700_000 };

  test('a cutoff ends the tokens of its second and of earlier ones, and none of a later second', () => {
    expect(cutEnd(cut, newest)).toBe(cut.endsAt);
    expect(cutEnd(cut, { ...newest, issuedAtSeconds: issuedAtSeconds - 1 })).toBe(cut.endsAt);
    expect(cutEnd(cut, { ...newest, issuedAtSeconds: issuedAtSeconds + 1 })).toBe(Number.POSITIVE_INFINITY);
    expect(cutEnd(undefined, newest)).toBe(Number.POSITIVE_INFINITY);
  });

  test('the newest token is reused while at least 600 seconds remain before the cutoff', () => {
    expect(decide({ cut, now: issuedAt + 100_000 })).toEqual({ reuse: newest, expiresIn: 600 });
    expect(decide({ cut, now: issuedAt + 100_001 })).toHaveProperty('issue');
  });

  test('a cutoff never extends the lifetime of a token', () => {
    const late = { ...cut, endsAt: issuedAt + 9_999_000 };
    expect(decide({ cut: late, now: secondsBeforeEnd(600) })).toEqual({ reuse: newest, expiresIn: 600 });
    expect(decide({ cut: late, now: secondsBeforeEnd(599) })).toHaveProperty('issue');
  });

  test('a token issued after a cutoff is of a later second, whatever the clock shows', () => {
    fc.assert(
      fc.property(fc.integer({ min: -60_000, max: 4_000_000 }), (offset) => {
        const decision = decide({ cut: { ...cut, endsAt: 0 }, now: issuedAt + offset });
        expect(decision).toHaveProperty('issue');
        if ('issue' in decision) expect(cutEnd(cut, decision.issue)).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });
});

test('an app without a token gets one of its generation, signed with the first key', () => {
  const issue = { keyId: 9, generation: 7, issuedAtSeconds };
  const decision = decide({ newest: undefined, generation: 7, signingKeyId: 9 });
  expect(decision).toEqual({ issue, expiresIn: 3600 });
});

const offsets = fc.integer({ min: -100_000, max: 4_000_000 });

test('a token is valid for its announced seconds: the whole lifetime of a new one, at least 600 of a reused one', () => {
  fc.assert(
    fc.property(offsets, (offset) => {
      const now = issuedAt + offset;
      const decision = decide({ now });
      const isReused = 'reuse' in decision;
      const claims = isReused ? decision.reuse : decision.issue;
      expect(decision.expiresIn).toBeGreaterThanOrEqual(
        isReused ? renewalWindowSeconds : tokenLifetimeSeconds,
      );
      expect(decision.expiresIn).toBeLessThanOrEqual(tokenLifetimeSeconds);
      expect(Number.isInteger(decision.expiresIn)).toBe(true);
      const lastInstant = now + decision.expiresIn * 1000 - 1;
      expect(isTokenLive({ claims, now })).toBe(true);
      expect(isTokenLive({ claims, now: lastInstant })).toBe(true);
    }),
  );
});
