// Tokens and secrets are removed from stored text.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutLikelySecrets, withoutSecrets } from '../../src/domain/masked-text.ts';

const base64url = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((drawn) => Buffer.from(drawn).toString('base64url'));

test('a known secret is removed at every position', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), base64url(32), (before, after, secret) => {
      expect(withoutSecrets(before + secret + after + secret, [secret])).not.toContain(secret);
    }),
  );
});

test('an empty secret removes nothing', () => {
  expect(withoutSecrets('as it is', [''])).toBe('as it is');
});

test('an unknown token or secret is removed from the text of a caller', () => {
  fc.assert(
    fc.property(fc.constantFrom(27, 32), fc.string(), fc.string(), (bytes, before, after) => {
      const secret = fc.sample(base64url(bytes), 1)[0] ?? '';
      expect(withoutLikelySecrets(`${before}${secret}${after}`, [])).not.toContain(secret);
    }),
  );
});

test('ids, including a UUID, are kept', () => {
  const text = '/v2/purchase/details-by-productid/SANDBOX0123456789012/com.example.game/';
  const uuid = '123e4567-e89b-12d3-a456-426614174000';
  expect(withoutLikelySecrets(text + uuid, [])).toBe(text + uuid);
});
