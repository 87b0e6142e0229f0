// Expels every access token of the token's app, the one of this call included.

import { expelTokens as operation } from '@opentill/contract/sandbox-api/expelTokens.ts';
import type { Database } from '../../store/database.ts';
import { expelTokens as operatorHandler } from '../operator-api/expelTokens.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function expelTokens(database: Database, forgetApp: (packageName: string) => void): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, forgetApp));
}
