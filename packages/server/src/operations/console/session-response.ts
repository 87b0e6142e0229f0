// Returns a session in the form of the contract.

import type { PriceUnit } from '@opentill/contract/fields.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type ConsoleRole, Session } from '@opentill/contract/sessions.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Store } from '../../store/store.ts';
import type { SessionIdentity } from '../operator-handler.ts';
import { shown } from '../shown.ts';

/** The settings that a session shows. */
export interface ShownSettings extends Pick<Store, 'environment'> {
  readonly timeZone: string;
  readonly priceUnit: PriceUnit;
}

/** `identity` has no times for a call with an operator key. */
export function sessionResponse(
  identity: Pick<SessionIdentity, 'madeBy' | 'role'> & Partial<SessionIdentity>,
  { environment, timeZone, priceUnit }: ShownSettings,
): Session {
  const { madeBy, role, createdAt, endsAt } = identity;
  return shown(Session, {
    madeBy,
    role,
    createdAt,
    endsAt,
    mayCall: operationsOf(role, environment === 'sandbox'),
    environment,
    version: packageJson.version,
    timeZone,
    priceUnit,
  });
}

function operationsOf(role: ConsoleRole, isSandbox: boolean): string[] {
  return (operatorOperations as readonly OperatorOperation[])
    .filter(({ keyOnly }) => keyOnly !== true)
    .filter(({ roles, sandboxOnly }) => roles.includes(role) && (isSandbox || sandboxOnly !== true))
    .map(({ operationId }) => operationId);
}
