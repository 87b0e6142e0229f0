import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PackageName, ProductId, PurchaseId } from '../../../src/domain/identifiers.ts';
import {
  compareRecorded,
  type Purchase,
  type RecordedFields,
} from '../../../src/domain/purchases/purchase.ts';

const bought: Purchase = {
  packageName: 'com.example.game' as PackageName,
  purchaseId: '26020304050612345678' as PurchaseId,
  productId: 'gems.100' as ProductId,
  kind: 'oneTime',
  orderId: 'order-1',
  buyerId: 'buyer-0',
  purchaseTime: 1_770_000_000_000,
  developerPayload: 'payload',
  price: 1200,
  currency: 'KRW',
  consumedTime: null,
  voidedTime: null,
  voidReason: null,
  erasedAt: null,
};

const other: Required<RecordedFields> = {
  productId: 'gems.500' as ProductId,
  purchaseId: 'another' as PurchaseId,
  orderId: 'order-2',
  purchaseTime: 1_770_000_000_001,
  developerPayload: 'another',
  buyerId: 'buyer-1',
  price: 0,
};
const names = Object.keys(other) as (keyof RecordedFields)[];

/** Without them a call means the values of `without`; without any other field it matches every value. */
const meantByAbsence = ['orderId', 'developerPayload', 'buyerId'];
const without: Purchase = { ...bought, orderId: null, developerPayload: '', buyerId: null };

const choice = fc.constantFrom('same', 'different', 'not sent');
const choices = fc.tuple(choice, choice, choice, choice, choice, choice, choice);

const sentBy = (chosen: readonly ('same' | 'different' | 'not sent')[], recorded: Purchase) => {
  const values = { same: recorded, different: other, 'not sent': {} as RecordedFields };
  return Object.fromEntries(names.map((name, index) => [name, values[chosen[index] ?? 'same'][name]]));
};

test('the comparison names exactly the fields that differ, or that were not sent and mean another value', () => {
  fc.assert(
    fc.property(choices, fc.constantFrom(bought, without), (chosen, recorded) => {
      const expected = names.filter(
        (name, index) =>
          chosen[index] === 'different' ||
          (chosen[index] === 'not sent' && recorded === bought && meantByAbsence.includes(name)),
      );
      expect(compareRecorded(recorded, sentBy(chosen, recorded))).toEqual(expected);
    }),
  );
});

test('a purchase whose buyer was erased matches any buyer and payload, and is compared by its other fields', () => {
  const erased = { ...without, orderId: bought.orderId, erasedAt: bought.purchaseTime };
  fc.assert(
    fc.property(choices, (chosen) => {
      const named = compareRecorded(bought, sentBy(chosen, bought));
      const expected = named.filter((name) => name !== 'buyerId' && name !== 'developerPayload');
      expect(compareRecorded(erased, sentBy(chosen, bought))).toEqual(expected);
    }),
  );
});
