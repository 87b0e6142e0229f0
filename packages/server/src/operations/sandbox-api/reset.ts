// Makes the token's app as good as new.

import { reset as operation } from '@opentill/contract/sandbox-api/reset.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../store/database.ts';
import type { RequestLog } from '../../store/request-log.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { reset as operatorHandler } from '../operator-api/reset.ts';

export function reset(
  database: Database,
  parts: { readonly clock: Clock; readonly requestLog: RequestLog },
): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, parts));
}
