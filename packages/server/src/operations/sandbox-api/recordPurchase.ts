// Makes a purchase of the token's app without a device.

import { recordPurchase as operation } from '@opentill/contract/sandbox-api/recordPurchase.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { recordPurchase as operatorHandler } from '../operator-api/recordPurchase.ts';
import type { Recorder } from '../record-purchase.ts';

export function recordPurchase(recorder: Recorder): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(recorder));
}
