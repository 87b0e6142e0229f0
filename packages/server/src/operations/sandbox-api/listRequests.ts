// Lists the last calls of the token's app, newest first, with hints.

import { listRequests as operation } from '@opentill/contract/sandbox-api/listRequests.ts';
import type { Database } from '../../store/database.ts';
import type { RequestLog } from '../../store/request-log.ts';
import { listRequests as operatorHandler } from '../operator-api/listRequests.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function listRequests(database: Database, requestLog: RequestLog): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, requestLog));
}
