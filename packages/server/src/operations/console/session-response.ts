// Returns a session in the form of the contract.

import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { ConsoleRole, Session } from '@opentill/contract/sessions.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Uses } from '../handler-options.ts';
import type { SessionIdentity } from './console-seals.ts';

/** `identity` has no times for a call with an operator key. */
export function sessionResponse(
  identity: Pick<SessionIdentity, 'madeBy' | 'role'> & Partial<SessionIdentity>,
  { store: { environment }, timeZone, priceUnit }: Uses<'store' | 'timeZone' | 'priceUnit'>,
): Session {
  const { madeBy, role, createdAt, endsAt } = identity;
  return {
    madeBy,
    role,
    ...(createdAt !== undefined && { createdAt }),
    ...(endsAt !== undefined && { endsAt }),
    mayCall: operationsOf(role, environment === 'sandbox'),
    environment,
    version: packageJson.version,
    timeZone,
    priceUnit,
  };
}

function operationsOf(role: ConsoleRole, isSandbox: boolean): string[] {
  return (operatorOperations as readonly OperatorOperation[])
    .filter(({ keyOnly }) => keyOnly !== true)
    .filter(({ roles, sandboxOnly }) => roles.includes(role) && (isSandbox || sandboxOnly !== true))
    .map(({ operationId }) => operationId);
}
