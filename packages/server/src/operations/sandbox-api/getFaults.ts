// Shows what goes wrong with the calls of the token's app.

import { getFaults as operation } from '@opentill/contract/sandbox-api/getFaults.ts';
import type { Database } from '../../store/database.ts';
import { getFaults as operatorHandler } from '../operator-api/getFaults.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function getFaults(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
