// The reason, note and ticket that were given for a change, in one line.

import { LongText } from './long-text.tsx';
import { type GivenReason, reasonNames } from './reason-fields.tsx';

export function ReasonText({ reason }: { readonly reason: GivenReason }) {
  const { reasonCode, note, ticket } = reason;
  const given = [reasonCode && reasonNames[reasonCode], note, ticket].filter((text) => text !== undefined);
  return <LongText text={given.length === 0 ? '-' : given.join(', ')} />;
}
