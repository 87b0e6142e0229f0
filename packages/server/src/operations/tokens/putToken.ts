// Sets the remaining lifetime of an app's newest access token and of all earlier ones
// (docs/decisions/access.md). Token times are real time.

import { putToken as operation } from '@opentill/contract/operator-api/putToken.ts';
import { secondMs } from '../../domain/time.ts';
import {
  renewalWindowSeconds,
  tokenExpiresAt,
  tokenLifetimeSeconds,
} from '../../domain/tokens/access-token.ts';
import { findApp } from '../../store/apps/apps.ts';
import { readDatabaseTime } from '../../store/clocks/store-clock.ts';
import type { Database } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import { cutTokens, lockNewestToken } from '../../store/tokens/access-tokens.ts';
import {
  type CallOf,
  type OperatorHandler,
  operatorHandler,
  type ResponseOf,
  responded,
} from '../operator-handler.ts';
import { noSuchApp, Refusal, refuseValue } from '../refusal.ts';

/**
 * Each renewal within one second issues a token of a later second. Tokens may get ahead by this many seconds, which is
 * half of the allowed clock skew (domain/tokens/access-token.ts) and leaves the other half to the servers' clocks.
 */
const aheadSecondsMax = 30;

export function putToken({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    return shorten(database, call);
  });
}

function shorten(
  database: Database,
  { path: { packageName }, body: { expiresIn }, recordAction }: CallOf<typeof operation>,
): Promise<ResponseOf<typeof operation>> {
  return database.transaction({ packageName }, async (transaction) => {
    const newest = await lockNewestToken(transaction, packageName);
    if (newest === undefined) {
      return new Refusal('conflict', `App ${packageName} has no token: call getAccessToken first.`);
    }
    const realNow = await readDatabaseTime(transaction);
    const issuedAt = newest.issuedAtSeconds * secondMs;
    if (issuedAt - realNow > aheadSecondsMax * secondMs) {
      const detail = `Tokens were renewed more than ${aheadSecondsMax} times within a few seconds: retry in a few seconds.`;
      return new Refusal('conflict', detail);
    }
    // A token is issued for the next full second, and its lifetime starts there.
    const ownEnd = tokenExpiresAt(newest);
    const untilEnd = Math.max(0, Math.floor((ownEnd - realNow) / secondMs));
    const leftSeconds = Math.min(untilEnd, tokenLifetimeSeconds);
    if (expiresIn > leftSeconds) {
      const message = `expected at most ${leftSeconds}, the remaining lifetime of the newest token, got ${expiresIn}`;
      return refuseValue('conflict', '/expiresIn', message);
    }
    const expiresAt = realNow + expiresIn * secondMs;
    const { issuedAtSeconds } = newest;
    await cutTokens(transaction, packageName, { issuedAtSeconds, endsAt: expiresAt });
    await recordAction(transaction, packageName, { expiresIn });
    return responded(200, { issuedAt, expiresIn, expiresAt, isRenewed: expiresIn < renewalWindowSeconds });
  });
}
