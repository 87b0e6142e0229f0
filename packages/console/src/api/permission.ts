// What the session may call.

import type { OperatorOperations } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { isProduction } from '../runtime/page.ts';
import { sessionQuery } from './session.ts';

export type OperationId = keyof OperatorOperations;

/** Returns undefined if the session may call the operation, or else what it lacks. */
export function useObstacle(operation: OperationId): string | undefined {
  const { data } = useQuery(sessionQuery);
  const session = data?.session;
  if (session === undefined || session.mayCall.includes(operation)) return undefined;
  // An admin may call every operation that the environment has.
  if (session.role === 'admin') return isProduction ? 'Only in the sandbox' : 'Not offered by this server';
  return 'Needs the role admin';
}
