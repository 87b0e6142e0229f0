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
  buyerId: null,
  purchaseTime: 1_770_000_000_000,
  developerPayload: 'payload',
  price: 1200,
  currency: 'KRW',
  consumedTime: null,
  voidedTime: null,
  voidReason: null,
};

const other: Required<RecordedFields> = {
  productId: 'gems.500' as ProductId,
  purchaseId: 'another' as PurchaseId,
  orderId: 'order-2',
  purchaseTime: 1_770_000_000_001,
  developerPayload: '',
  buyerId: 'buyer-1',
  price: 0,
};
const names = Object.keys(other) as (keyof RecordedFields)[];

test('the comparison names exactly the sent fields that differ', () => {
  const choice = fc.constantFrom('same', 'different', 'not sent');
  const choices = fc.tuple(choice, choice, choice, choice, choice, choice, choice);
  fc.assert(
    fc.property(choices, (chosen) => {
      const values = { same: bought, different: other, 'not sent': {} as RecordedFields };
      const wanted = Object.fromEntries(
        names.map((name, index) => [name, values[chosen[index] ?? 'same'][name]]),
      );
      const expected = names.filter((_name, index) => chosen[index] === 'different');
      expect(compareRecorded(bought, wanted)).toEqual(expected);
    }),
  );
});
