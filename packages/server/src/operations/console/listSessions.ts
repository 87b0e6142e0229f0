// Lists the open sessions of the console.

import { listSessions as operation } from '@opentill/contract/operator-api/listSessions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { sessionIdOf } from './session-directory.ts';

export function listSessions({ sessions }: Uses<'sessions'>): OperatorHandler {
  return operatorHandler(operation, async ({ realNow, session: own }) => {
    const open = await sessions.list(realNow);
    return answered(200, {
      sessions: open.map(({ hash, madeBy, role, createdAt, lastSeenAt, endsAt }) => ({
        sessionId: sessionIdOf(hash),
        madeBy,
        role,
        createdAt,
        lastSeenAt,
        endsAt,
        current: own?.hash.equals(hash) === true,
      })),
    });
  });
}
