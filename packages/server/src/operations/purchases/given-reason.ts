// The reason of a void or a cancel, as the caller gives it in one of two ways.

import type { ReasonCode } from '@opentill/contract/actions.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import { type Refusal, refuseValue } from '../refusal.ts';
import { reasonDigit } from './purchase-response.ts';

type Initiator = Parameters<typeof reasonDigit>[0];

/** A reasonCode implies who initiated it; `otherwise` applies if neither was sent. */
export function givenReason(
  { reason, reasonCode }: { readonly reason?: Initiator; readonly reasonCode?: ReasonCode },
  otherwise: Initiator,
): CancelReason | Refusal<'invalidRequest'> {
  if (reasonCode === undefined) return reasonDigit(reason ?? otherwise);
  const implied = reasonCode === 'customerRequest' ? 'customer' : 'system';
  if (reason === undefined || reason === implied) return reasonDigit(implied);
  const message = `expected ${implied}, which the reasonCode ${reasonCode} implies, got ${reason}`;
  return refuseValue('invalidRequest', '/reason', message);
}
