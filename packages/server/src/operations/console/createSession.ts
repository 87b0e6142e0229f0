// Signs in to the console with an operator key, or with the code of a one-time link.

import { createSession as operation } from '@opentill/contract/operator-api/createSession.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { countActionsOf } from '../../store/audit/actions.ts';
import { RolledBack } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import {
  type CallOf,
  type OperatorHandler,
  operatorHandler,
  responded,
  type SessionIdentity,
} from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import type { ConsoleSeals } from './console-seals.ts';
import { authorOf, type OperatorKeys, sha256 } from './operator-keys.ts';
import { type ShownSettings, sessionResponse } from './session-response.ts';

type Call = CallOf<typeof operation>;
type Signing = Pick<SessionIdentity, 'madeBy' | 'role'> & {
  /** The hash of a link's code, which signs in once; undefined for a key. */
  readonly codeHash?: string;
};

interface SignIn {
  readonly seals: ConsoleSeals;
  readonly operatorKeys: OperatorKeys;
  readonly settings: ShownSettings;
}

export function createSession(
  { database }: Store,
  { seals, operatorKeys, settings }: SignIn,
): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const signing = identify(call, operatorKeys, seals);
    if (signing instanceof Refusal) return signing;
    const { madeBy, role, codeHash } = signing;
    const detail = { role, signedInBy: codeHash === undefined ? 'key' : 'link' } as const;
    const replacing = { madeBy, ...(codeHash !== undefined && { subject: codeHash }) };
    const scope = { packageName: wholeStore };
    const refused = await database.transaction(scope, async (transaction) => {
      await call.recordAction(transaction, wholeStore, detail, replacing);
      // The actions are counted under the lock of the one that was just recorded.
      const isUsed = codeHash !== undefined && (await countActionsOf(transaction, codeHash)) > 1;
      return isUsed ? new RolledBack(wrongCode()) : undefined;
    });
    if (refused !== undefined) return refused;
    const session = seals.sessionOf(signing, call.realNow);
    const secret = seals.sealSession(session, call.realNow);
    return {
      ...responded(201, sessionResponse(session, settings)),
      session: { secret, endsAt: session.endsAt },
    };
  });
}

function identify(
  { body: { key, code }, realNow }: Call,
  keys: OperatorKeys,
  seals: ConsoleSeals,
): Signing | Refusal<'invalidRequest' | 'unauthorized' | 'forbidden'> {
  if (key !== undefined && code === undefined) return identifyByKey(keys, key);
  if (code !== undefined && key === undefined) {
    const link = seals.findLink(code, realNow);
    return link === undefined ? wrongCode() : { ...link, codeHash: sha256(code).toString('base64url') };
  }
  const message = 'expected exactly one of key and code';
  return new Refusal('invalidRequest', `body: ${message}.`, [{ path: '', message }]);
}

function wrongCode(): Refusal<'unauthorized'> {
  return new Refusal(
    'unauthorized',
    'code: expected the code of an unused link that is at most 10 minutes old.',
  );
}

function identifyByKey(keys: OperatorKeys, key: string): Signing | Refusal<'unauthorized' | 'forbidden'> {
  const found = keys.find(key);
  if (found === undefined)
    return new Refusal('unauthorized', 'key: expected an operator key of this server.');
  if (found.role === 'record') {
    const detail = `Expected a key with the role read, support or admin, got ${found.name}, which has the role record.`;
    return new Refusal('forbidden', detail);
  }
  return { madeBy: authorOf(found), role: found.role };
}
