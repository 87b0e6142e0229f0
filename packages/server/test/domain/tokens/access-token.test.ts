import { createSecretKey } from 'node:crypto';
import { sizes } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/domain/identifiers.ts';
import {
  deriveContinuationKeySecret,
  encodeAccessToken,
  parseTokenKeys,
  type TokenClaims,
  type TokenKeys,
  type TokenScope,
  verifyAccessToken,
} from '../../../src/domain/tokens/access-token.ts';
import { secrets, withOneReplaced, writtenCharacters } from '../arbitraries.ts';

const keyIds = fc.integer({ min: 0, max: 255 });

const claims: fc.Arbitrary<TokenClaims> = fc.record({
  keyId: keyIds,
  appNumber: fc.integer({ min: 0, max: 0xffff_ffff }),
  generation: fc.integer({ min: 0, max: 0xffff }),
  issuedAtSeconds: fc.integer({ min: 0, max: 0xffff_ffff }),
});

const scopes: fc.Arbitrary<TokenScope> = fc.record({
  environment: fc.constantFrom<Environment>('production', 'sandbox'),
  installationId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes): Buffer => Buffer.from(bytes)),
});

function keysOf(id: number, secret: Buffer): TokenKeys {
  const signing = { id, secret: createSecretKey(secret) };
  return { signing, byId: new Map([[id, signing]]) };
}

/** A token and everything it was made from. */
const tokens = fc.record({ claims, scope: scopes, secret: secrets }).map((made) => {
  const keys = keysOf(made.claims.keyId, made.secret);
  return { ...made, keys, token: encodeAccessToken(made.claims, keys, made.scope) };
});

describe('access tokens', () => {
  test('a token has the full size and decodes to the claims it was made from', () => {
    fc.assert(
      fc.property(tokens, ({ token, claims, keys, scope }) => {
        expect(token).toMatch(new RegExp(`^[A-Za-z0-9_-]{${sizes.accessToken}}$`));
        expect(verifyAccessToken(token, keys, scope)).toEqual(claims);
      }),
    );
  });

  test('a token has the same bytes in every release, so that an upgrade invalidates none', () => {
    const fixed = { keyId: 1, appNumber: 3_000_000_000, generation: 5, issuedAtSeconds: 1_770_000_000 };
    const scope: TokenScope = { environment: 'sandbox', installationId: Buffer.alloc(16, 2) };
    const token = encodeAccessToken(fixed, keysOf(1, Buffer.alloc(32, 1)), scope);
    expect(token).toBe('AbLQXgAABWmADoCZHYW-KUXoWARej5h0KDeA');
  });

  test('a token with any one character replaced is rejected', () => {
    const replacements = fc.array(writtenCharacters, { minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(tokens, replacements, ({ token, keys, scope }, characters) => {
        const forged = withOneReplaced(token, characters);
        expect(forged.length).toBeGreaterThan(0);
        for (const text of forged) expect(verifyAccessToken(text, keys, scope)).toBeUndefined();
      }),
    );
  });

  test('a token in the base64 alphabet, with padding or with whitespace around it is rejected', () => {
    fc.assert(
      fc.property(tokens, ({ token, keys, scope }) => {
        const base64 = token.replaceAll('-', '+').replaceAll('_', '/');
        const spellings = [base64, `${token}=`, `${token}\n`, ` ${token}`];
        for (const text of spellings.filter((spelling) => spelling !== token)) {
          expect(verifyAccessToken(text, keys, scope)).toBeUndefined();
        }
      }),
    );
  });

  test('a token that is shortened or extended is rejected', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 0, max: 35 }), ({ token, keys, scope }, length) => {
        expect(verifyAccessToken(token.slice(0, length), keys, scope)).toBeUndefined();
        expect(verifyAccessToken(token + token.slice(0, length + 1), keys, scope)).toBeUndefined();
      }),
    );
  });

  test('a token is rejected in the other environment, in another installation, with another secret, and where its key is unknown', () => {
    fc.assert(
      fc.property(tokens, scopes, secrets, ({ token, claims, keys, secret, scope }, other, otherSecret) => {
        fc.pre(!other.installationId.equals(scope.installationId) && !otherSecret.equals(secret));
        const environment = scope.environment === 'sandbox' ? 'production' : 'sandbox';
        expect(verifyAccessToken(token, keys, { ...scope, environment })).toBeUndefined();
        const { installationId } = other;
        expect(verifyAccessToken(token, keys, { ...scope, installationId })).toBeUndefined();
        expect(verifyAccessToken(token, keysOf(claims.keyId, otherSecret), scope)).toBeUndefined();
        expect(verifyAccessToken(token, keysOf((claims.keyId + 1) % 256, secret), scope)).toBeUndefined();
      }),
    );
  });

  test('a token of an earlier key is verified while that key is still listed', () => {
    fc.assert(
      fc.property(tokens, secrets, ({ token, claims, keys, scope }, newSecret) => {
        const { signing } = keysOf((claims.keyId + 1) % 256, newSecret);
        const rotated = { signing, byId: new Map([[signing.id, signing], ...keys.byId]) };
        expect(verifyAccessToken(token, rotated, scope)).toEqual(claims);
      }),
    );
  });

  test('encoding throws for an unknown key and for claims that do not fit', () => {
    const keys = keysOf(1, Buffer.alloc(32));
    const scope: TokenScope = { environment: 'sandbox', installationId: Buffer.alloc(16) };
    const fitting = { keyId: 1, appNumber: 1, generation: 1, issuedAtSeconds: 1 };
    expect(encodeAccessToken(fitting, keys, scope)).toHaveLength(sizes.accessToken);
    const tooLarge = { appNumber: 2 ** 32, generation: 65_536, issuedAtSeconds: 2 ** 32 };
    for (const [name, value] of Object.entries({ keyId: 2, ...tooLarge })) {
      expect(() => encodeAccessToken({ ...fitting, [name]: value }, keys, scope)).toThrow(RangeError);
    }
    const shortScope = { ...scope, installationId: Buffer.alloc(15) };
    expect(() => encodeAccessToken(fitting, keys, shortScope)).toThrow(RangeError);
  });
});

describe('the token key setting', () => {
  const settings = fc.uniqueArray(fc.record({ id: keyIds, secret: secrets }), {
    selector: (key) => key.id,
    minLength: 1,
    maxLength: 16,
  });
  const written = ({ id, secret }: { id: number; secret: Buffer }) => `${id}:${secret.toString('base64url')}`;

  test('every key is parsed in order, and the first one signs', () => {
    fc.assert(
      fc.property(settings, (keys) => {
        const parsed = parseTokenKeys(keys.map(written).join(',')) as TokenKeys;
        const read = [...parsed.byId].map(([id, { secret }]) => ({ id, secret: secret.export() }));
        expect([parsed.signing.id, read]).toEqual([keys[0]?.id, keys]);
      }),
    );
  });

  test('whitespace around the entries of the setting is ignored', () => {
    const secret = Buffer.alloc(32, 7);
    const parsed = parseTokenKeys(` ${written({ id: 1, secret })} , ${written({ id: 0, secret })}\n`);
    expect(parsed).toMatchObject({ signing: { id: 1 } });
  });

  const secret = Buffer.alloc(32, 0xfb);
  const good = secret.toString('base64url');
  const wrong = [
    ['an empty text', ''],
    ['an empty entry', `1:${good},`],
    ['an id above a byte', `256:${good}`],
    ['a negative id', `-1:${good}`],
    ['a secret of 31 bytes', `1:${secret.subarray(1).toString('base64url')}`],
    ['a secret in base64 with padding', `1:${secret.toString('base64')}`],
    ['a secret with spare bits set', `1:${good.slice(0, -1)}t`],
    ['a duplicate id', `1:${good},1:${good}`],
  ] as const;

  test.each(wrong)('a setting with %s is rejected without repeating a secret', (_case, text) => {
    const parsed = parseTokenKeys(text);
    expect(parsed).toEqual({ problem: expect.stringMatching(/^key \d+: /) });
    expect(JSON.stringify(parsed)).not.toContain(good.slice(0, 8));
  });

  test('a secret of one repeated character is named as that', () => {
    const problem = 'key 1: expected a random secret, got one repeated character';
    expect(parseTokenKeys(`1:${'A'.repeat(43)}`)).toEqual({ problem });
  });

  test('every invalid entry of the setting is reported at once', () => {
    expect(parseTokenKeys(`x,1:${good},1:${good}`)).toEqual({
      problem: expect.stringMatching(/^key 1: .*; key 3: /),
    });
  });

  test('the setting accepts 16 keys and rejects 17', () => {
    const entries = Array.from({ length: 17 }, (_value, id) => written({ id, secret }));
    expect(parseTokenKeys(entries.slice(0, 16).join(','))).toHaveProperty('signing');
    expect(parseTokenKeys(entries.join(','))).toEqual({ problem: 'expected at most 16 keys, got 17' });
  });
});

test('the secret of continuation keys differs from the token key, and between token keys', () => {
  fc.assert(
    fc.property(secrets, secrets, (secret, other) => {
      fc.pre(!secret.equals(other));
      const derive = (from: Buffer) => deriveContinuationKeySecret(createSecretKey(from));
      const derived = derive(secret);
      expect(derived).toHaveLength(32);
      expect(derived.equals(secret)).toBe(false);
      expect(derived.equals(derive(other))).toBe(false);
      expect(derived.equals(derive(secret))).toBe(true);
    }),
  );
});
