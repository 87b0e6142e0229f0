// Reads whether renewals of the store or of one app are paused, and what is due.

import { getRenewals as operation } from '@opentill/contract/operator-api/getRenewals.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { readRenewals } from './read-renewals.ts';

export function getRenewals(options: Uses<'store' | 'settling'>): OperatorHandler {
  return operatorHandler(operation, async ({ query: { packageName } }) => {
    const renewals = await readRenewals(options, packageName);
    return renewals === undefined ? noSuchApp(packageName ?? '') : answered(200, renewals);
  });
}
