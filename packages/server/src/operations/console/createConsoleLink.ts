// Makes a link that signs in to the console once.

import { createConsoleLink as operation } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { noApp } from '../../store/audit/actions.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';

const nonceBytes = 16;

/** How long a link is valid, in ms. */
const linkLastsMs = 10 * 60_000;

/** Links are recorded in turn. */
const linkRecord = 'console links';

export function createConsoleLink({
  store: { database },
  randomness,
  seals,
}: Uses<'store' | 'randomness' | 'seals'>): OperatorHandler {
  return operatorHandler(operation, async ({ body: { role }, author: { madeBy }, realNow, recordAction }) => {
    const endsAt = realNow + linkLastsMs;
    const nonce = randomness.bytes(nonceBytes).toString('base64url');
    const code = seals.sealLink({ madeBy, role, endsAt, nonce });
    await database.transaction({ packageName: noApp, record: linkRecord }, (transaction) =>
      recordAction(transaction, noApp, `role ${role}`),
    );
    return answered(201, { path: `/console/sign-in#${code}`, endsAt });
  });
}
