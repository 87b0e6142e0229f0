// Signs in to the console with an operator key, or with the code of a one-time link.

import { createSession as operation } from '@opentill/contract/operator-api/createSession.ts';
import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import { noApp } from '../../store/audit/actions.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { createSessionRow, takeLink } from '../../store/console/console-sessions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type CallOf, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { authorOf, type OperatorKeys, sha256 } from './operator-keys.ts';
import { sessionLifetimes } from './session-directory.ts';
import { sessionResponse } from './session-response.ts';

type Call = CallOf<typeof operation>;

/** Each session is for one browser. */
const secretBytes = 32;

/** Sessions are created in turn. */
const sessionRecord = 'console sessions';

interface Signing {
  readonly madeBy: string;
  readonly role: ConsoleRole;
  readonly keyHash: Buffer;
}

export function createSession(
  options: Uses<'store' | 'randomness' | 'timeZone' | 'priceUnit' | 'operatorKeys'>,
): OperatorHandler {
  const { store, randomness, operatorKeys } = options;
  const { database, environment } = store;
  return operatorHandler(operation, async (call) => {
    // A wrong key is rejected without the queue, which it would fill.
    const identify = identifier(call, operatorKeys());
    if (identify instanceof Refusal) return identify;
    return database.transaction({ packageName: noApp, record: sessionRecord }, async (transaction) => {
      const signing = await identify(transaction);
      if (signing instanceof Refusal) return signing;
      const secret = randomness.bytes(secretBytes).toString('base64url');
      const { realNow: now } = call;
      const { lastsMs } = sessionLifetimes[environment];
      const session = {
        ...signing,
        hash: sha256(secret),
        createdAt: now,
        lastSeenAt: now,
        endsAt: now + lastsMs,
      };
      await createSessionRow(transaction, session);
      const way = call.body.key === undefined ? 'by link' : 'by key';
      await call.recordAction(transaction, noApp, `role ${signing.role}, ${way}`, { madeBy: signing.madeBy });
      return { ...answered(201, sessionResponse(session, options)), session: { secret, lastsMs } };
    });
  });
}

type Identify = (transaction: Queryable) => Promise<Signing | Refusal<'unauthorized'>>;

function identifier(
  { body: { key, code }, realNow }: Call,
  keys: OperatorKeys,
): Identify | Refusal<'invalidRequest' | 'unauthorized' | 'forbidden'> {
  if (key !== undefined && code === undefined) {
    const signing = identifyByKey(keys, key);
    return signing instanceof Refusal ? signing : async () => signing;
  }
  if (code !== undefined && key === undefined)
    return (transaction) => identifyByCode(transaction, { code, realNow, keys });
  const message = 'expected exactly one of key and code';
  return new Refusal('invalidRequest', `body: ${message}.`, [{ path: '', message }]);
}

interface CodeUse {
  readonly code: string;
  readonly realNow: number;
  readonly keys: OperatorKeys;
}

async function identifyByCode(
  transaction: Queryable,
  { code, realNow, keys }: CodeUse,
): Promise<Signing | Refusal<'unauthorized'>> {
  const link = await takeLink(transaction, sha256(code));
  if (link === undefined || realNow >= link.endsAt || keys.findByHash(link.keyHash) === undefined) {
    return new Refusal(
      'unauthorized',
      'code: expected the code of an unused link that is at most 10 minutes old.',
    );
  }
  const { madeBy, role, keyHash } = link;
  return { madeBy, role, keyHash };
}

function identifyByKey(keys: OperatorKeys, key: string): Signing | Refusal<'unauthorized' | 'forbidden'> {
  const found = keys.find(key);
  if (found === undefined)
    return new Refusal('unauthorized', 'key: expected an operator key of this server.');
  if (found.role === 'record') {
    const detail = `Expected a key with the role support or admin, got ${found.name}, which has the role record.`;
    return new Refusal('forbidden', detail);
  }
  return { madeBy: authorOf(found), role: found.role, keyHash: found.hash };
}
