// Makes a link that signs in to the console once.

import { createConsoleLink as operation } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { noApp } from '../../store/audit/actions.ts';
import { createLink } from '../../store/console/console-sessions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { sha256 } from './operator-keys.ts';

const codeBytes = 32;

/** How long a link is valid, in ms. */
const linkLastsMs = 10 * 60_000;

/** Links are created in turn. */
const linkRecord = 'console links';

export function createConsoleLink({
  store: { database },
  randomness,
  operatorKeys,
}: Uses<'store' | 'randomness' | 'operatorKeys'>): OperatorHandler {
  return operatorHandler(operation, async ({ body: { role }, author: { madeBy }, realNow, recordAction }) => {
    const key = operatorKeys().findByAuthor(madeBy);
    if (key === undefined) throw new Error(`There is no operator key of ${madeBy}.`);
    const code = randomness.bytes(codeBytes).toString('base64url');
    const endsAt = realNow + linkLastsMs;
    await database.transaction({ packageName: noApp, record: linkRecord }, async (transaction) => {
      await createLink(transaction, { hash: sha256(code), madeBy, role, keyHash: key.hash, endsAt }, realNow);
      await recordAction(transaction, noApp, `role ${role}`);
    });
    return answered(201, { path: `/console/sign-in#${code}`, endsAt });
  });
}
