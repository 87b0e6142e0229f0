// The rules of changes of credentials: which client secret allows them, and when a secret may be rotated.

import { clientSecretHeader } from '@opentill/contract/developer-api.ts';
import { quoteInstant } from '../domain/text/quoted-value.ts';
import { isNewestClientSecret } from '../domain/tokens/client-secret.ts';
import { lockClientSecret } from '../store/apps/apps.ts';
import type { Queryable } from '../store/connection/database.ts';
import type { OperatorCall } from './operator-handler.ts';
import { Refusal } from './refusal.ts';

/**
 * Locks the app, so that of two rotations by a developer at once one is rejected; the caller would otherwise get a secret that
 * has already ended. It is the first step of a transaction that changes credentials; an operator sends no client secret.
 */
export async function refuseOldSecret(
  transaction: Queryable,
  packageName: string,
  clientSecret: OperatorCall['clientSecret'],
): Promise<Refusal<'forbidden'> | undefined> {
  if (clientSecret === undefined) return undefined;
  const newest = await lockClientSecret(transaction, packageName);
  if (newest !== undefined && isNewestClientSecret(clientSecret, newest)) return undefined;
  return new Refusal('forbidden', oldSecretDetail);
}

/** With a secret that leaked, a rotation could otherwise be followed by another one. */
export const oldSecretDetail = `${clientSecretHeader}: expected the newest client secret of the app, got one that was rotated: it may still get tokens, but changes no credentials.`;

/** Rejects a rotation that would end a previous secret which callers may still use; with 0 seconds it is meant to. */
export function refuseRotation({
  keepSeconds,
  previousUntil,
  realNow,
  force = false,
}: {
  readonly keepSeconds: number;
  /** When the previous secret ends, in ms; null if there is none. */
  readonly previousUntil: number | null;
  readonly realNow: number;
  readonly force: boolean | undefined;
}): Refusal<'conflict'> | undefined {
  if (force || keepSeconds === 0 || previousUntil === null || previousUntil <= realNow) return undefined;
  const detail = `The secret was rotated recently: the previous one is valid until ${quoteInstant(previousUntil)}, and another rotation would end it immediately. Retry after that time, or send force, or keepPreviousForSeconds 0.`;
  return new Refusal('conflict', detail);
}
