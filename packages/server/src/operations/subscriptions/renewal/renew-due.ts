// Renews due subscriptions of an app whose clock is moved: a transaction records the attempts, the charges run
// outside of any, and another writes what all the answers make of them (docs/decisions/renewals.md).

import { beginDue } from './begin-due.ts';
import { charge } from './charge-begun.ts';
import type { RenewalBatch, RenewalParts } from './renewal-batch.ts';
import { settle } from './settle.ts';

/**
 * Gives how many of the items happened. Whatever dies in its midst, an attempt that was begun stays open with its
 * key, and is sent again by whoever moves the clock next.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function renewDue(parts: RenewalParts, batch: RenewalBatch): Promise<number> {
  const begun = await beginDue(parts, batch);
  parts.crashPoints('afterAttempt');
  const charged = await Promise.all(begun.charges.map((one) => charge(parts, batch, one)));
  const answered = [...charged, ...begun.expiries];
  if (answered.length === 0) return 0;
  const { settled, open } = await settle(parts, batch, { answered, passOverHeld: false });
  parts.crashPoints('afterCommit');
  return settled + open;
}
