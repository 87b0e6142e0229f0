// Why a change was made: a code of the closed list of the API, a note and a ticket.

import type { Action } from '@opentill/client/operator';
import { LongText } from './long-text.tsx';

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

/** In one line. */
export function ReasonText({ reason }: { readonly reason: GivenReason }) {
  const { reasonCode, note, ticket } = reason;
  const given = [reasonCode && reasonNames[reasonCode], note, ticket && `ticket ${ticket}`];
  return <LongText text={given.filter(Boolean).join(', ') || '-'} />;
}
