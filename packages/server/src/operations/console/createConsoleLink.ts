// Makes a link that signs in to the console once.

import { createConsoleLink as operation } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { minuteMs } from '../../domain/time.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import type { ConsoleSeals } from './console-seals.ts';

const nonceBytes = 16;

/** How long a link is valid, in ms. */
const linkLastsMs = 10 * minuteMs;

export function createConsoleLink(
  { database }: Store,
  randomness: Randomness,
  seals: ConsoleSeals,
): OperatorHandler {
  return operatorHandler(operation, async ({ body: { role }, author: { madeBy }, realNow, recordAction }) => {
    const endsAt = realNow + linkLastsMs;
    const nonce = randomness.bytes(nonceBytes).toString('base64url');
    const code = seals.sealLink({ madeBy, role, endsAt, nonce });
    await database.transaction({ packageName: wholeStore }, (transaction) =>
      recordAction(transaction, wholeStore, { role }),
    );
    return responded(201, { path: `/console/sign-in#${code}`, endsAt });
  });
}
