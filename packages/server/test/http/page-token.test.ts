// Page tokens: they encode a position, and invalid ones are rejected.

import { PurchaseId, sizes, Timestamp, timestampMax, timestampMin } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { pageToken } from '../../src/operations/list-handler.ts';
import { anyCharacter, identifiers } from '../domain/arbitraries.ts';

const Position = Type.Object({ purchaseTime: Timestamp, purchaseId: PurchaseId });
const token = pageToken(Position);
const shape = Compile(Position);

const positions = fc.record({
  purchaseTime: fc.integer({ min: timestampMin, max: timestampMax }),
  purchaseId: identifiers(sizes.purchaseId),
});

test('a pageToken returns the position it was made from and no other property of a row', () => {
  fc.assert(
    fc.property(positions, fc.string(), (position, orderId) => {
      expect(token.decode(token.encode({ ...position, orderId } as typeof position))).toEqual(position);
    }),
  );
});

test('any text as a pageToken is rejected or is a position that the list can start at', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
    fc
      .tuple(fc.anything(), fc.string({ unit: anyCharacter }))
      .map((values) => Buffer.from(JSON.stringify(values) ?? '').toString('base64url')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const position = token.decode(text);
      expect(position === undefined || shape.Check(position)).toBe(true);
    }),
  );
});
