// Reads the session of the call.

import { getSession as operation } from '@opentill/contract/operator-api/getSession.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { type ShownSettings, sessionResponse } from './session-response.ts';

export function getSession(settings: ShownSettings): OperatorHandler {
  return operatorHandler(operation, async ({ author: { madeBy }, role, session }) => {
    if (role === undefined || role === 'record') return new Refusal('forbidden');
    return responded(200, sessionResponse({ ...session, madeBy, role }, settings));
  });
}
