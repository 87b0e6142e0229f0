// The common part of rotations of client secrets and of webhook secrets.

import { quoteInstant } from '../domain/text/quoted-value.ts';
import { Refusal } from './refusal.ts';

/** Rejects a rotation that would end a previous secret which callers may still use. */
export function refuseRotation({
  previousUntil,
  realNow,
  force = false,
}: {
  /** When the previous secret ends, in ms; null if there is none. */
  readonly previousUntil: number | null;
  readonly realNow: number;
  readonly force: boolean | undefined;
}): Refusal<'conflict'> | undefined {
  if (force || previousUntil === null || previousUntil <= realNow) return undefined;
  const detail = `The secret was rotated recently: the previous one is valid until ${quoteInstant(previousUntil)}, and another rotation would end it immediately. Retry after that time, or send force.`;
  return new Refusal('conflict', detail);
}
