// Ends a session of the console, and voids the unused links of its operator.

import { currentSession, deleteSession as operation } from '@opentill/contract/operator-api/deleteSession.ts';
import { noApp } from '../../store/audit/actions.ts';
import { findSession, removeLinks, removeSession } from '../../store/console/console-sessions.ts';
import type { Uses } from '../handler-options.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';

export function deleteSession({
  store: { database },
  sessions,
}: Uses<'store' | 'sessions'>): OperatorHandler {
  return operatorHandler(
    operation,
    async ({ path: { sessionId }, author, role, session: own, recordAction }) => {
      const ended = { status: 204, session: 'ended' } as const;
      const isCurrent = sessionId === currentSession;
      const hash = isCurrent ? own?.hash : Buffer.from(sessionId, 'base64url');
      const session = hash === undefined ? undefined : await findSession(database, hash);
      if (hash === undefined || session === undefined) return isCurrent ? ended : { status: 204 };
      if (session.madeBy !== author.madeBy && role !== 'admin') {
        const detail = `Expected a session of ${author.madeBy} or the role admin, got a session of ${session.madeBy}.`;
        return new Refusal('forbidden', detail);
      }
      await database.transaction({ packageName: noApp, record: sessionId }, async (transaction) => {
        if (await removeSession(transaction, hash)) {
          await removeLinks(transaction, session.madeBy);
          await recordAction(transaction, noApp, `session of ${session.madeBy}`);
        }
      });
      sessions.forget(hash);
      return own?.hash.equals(hash) === true ? ended : { status: 204 };
    },
  );
}
