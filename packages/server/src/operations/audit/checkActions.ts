// Checks that no action of an app was changed, inserted or removed.

import { checkActions as operation } from '@opentill/contract/operator-api/checkActions.ts';
import { noApp } from '../../store/audit/actions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { checkChain } from './check-chain.ts';

export function checkActions({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query: { packageName = noApp } }) => {
    const check = await checkChain(database, packageName);
    return answered(200, check ?? { count: 0 });
  });
}
