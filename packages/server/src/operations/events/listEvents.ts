// Lists the events of an app in their order, and waits for new ones.

import { listEvents as operation } from '@opentill/contract/operator-api/listEvents.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import type { ListEvents } from './list-events.ts';

export function listEvents(list: ListEvents): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, query, signal }) => {
    const answer = await list({ packageName, query, signal });
    switch (answer.kind) {
      case 'page':
        return answered(200, answer.page);
      case 'unusable': {
        const errors = [{ path: 'after', message: answer.message }];
        return { problem: 'invalidRequest', detail: `after: ${answer.message}.`, errors };
      }
      case 'gone':
        return { problem: 'gone', detail: answer.message };
      case 'appFull':
        return { problem: 'tooManyRequests', detail: answer.message };
      case 'serverFull':
        return { problem: 'unavailable', detail: answer.message };
      case 'unknownApp':
        return noSuchApp(packageName);
    }
  });
}
