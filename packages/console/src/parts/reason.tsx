// Why a change was made: a code of the closed list of the API, a note and a ticket.

import type { Action } from '@opentill/client/operator';
import { LongText } from '../values/long-text.tsx';

type ReasonCode = NonNullable<Action['reasonCode']>;

/** The reason in the form that calls accept. */
export type GivenReason = Pick<Action, 'reasonCode' | 'note' | 'ticket'>;

export const reasonNames: Readonly<Record<ReasonCode, string>> = {
  customerRequest: 'Customer request',
  duplicate: 'Duplicate purchase',
  fraud: 'Fraud',
  chargeback: 'Chargeback',
  malfunction: 'Malfunction',
  test: 'Test',
  other: 'Other',
};

/** In one line, if there is one. */
export function reasonText({ reasonCode, note, ticket }: GivenReason) {
  const given = [reasonCode && reasonNames[reasonCode], note, ticket && `ticket ${ticket}`].filter(Boolean);
  return given.length > 0 && <LongText text={given.join(', ')} />;
}
