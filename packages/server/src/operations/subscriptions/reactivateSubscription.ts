// Takes the cancel of a subscription back while its month still runs.

import { reactivateSubscription as operation } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import type { Database } from '../../store/connection/database.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { reasonOf } from '../purchases/purchase-view.ts';
import { changeSubscription } from './changed-subscription.ts';

export function reactivateSubscription(database: Database): OperatorHandler {
  return operatorHandler(operation, ({ path, now, author }) =>
    changeSubscription(database, path, {
      action: 'reactivate',
      reason: reasonOf('customer'),
      now,
      author,
    }),
  );
}
