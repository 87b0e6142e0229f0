// Gives the newest access token of the token's app another rest of life.

import { putToken as operation } from '@opentill/contract/sandbox-api/putToken.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { putToken as operatorHandler } from '../operator-api/putToken.ts';

export function putToken(database: Database, settings: { lifetimeSeconds: number }): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, settings));
}
