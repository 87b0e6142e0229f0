// Signs out of the console: the browser forgets the cookie of the session.

import { deleteSession as operation } from '@opentill/contract/operator-api/deleteSession.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';

export function deleteSession(): OperatorHandler {
  return operatorHandler(operation, async () => ({ status: 204, session: 'ended' }));
}
