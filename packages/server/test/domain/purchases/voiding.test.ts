import { reasonCodes } from '@opentill/contract/actions.ts';
import { expect, test } from 'vitest';
import { voidCauseOf } from '../../../src/domain/purchases/voiding.ts';

test('each reason code of an operator has a cause that developers see, and without one the initiator decides', () => {
  const codes = Object.keys(reasonCodes) as (keyof typeof reasonCodes)[];
  const causes = codes.map((code) => [code, voidCauseOf(code === 'customerRequest' ? '0' : '1', code)]);
  expect(Object.fromEntries(causes)).toEqual({
    customerRequest: 'customerRequest',
    duplicate: 'duplicate',
    fraud: 'fraud',
    chargeback: 'chargeback',
    malfunction: 'defect',
    test: 'other',
    other: 'other',
  });
  expect([voidCauseOf('0', undefined), voidCauseOf('1', undefined)]).toEqual(['customerRequest', 'other']);
});
