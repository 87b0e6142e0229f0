// Tokens that putToken has cut short: how long such a token lives, and how a list of them stays short
// (docs/decisions/put-token.md). Only the sandbox knows any.

import type { TokenStamp } from './access-token.ts';

interface TokenCut {
  readonly keyId: number;
  readonly issuedAtSeconds: number;
  /** The instant (ms, real time) from which the token is refused. */
  readonly expiresAt: number;
}

/** The shortened tokens of one generation of an app, oldest first. */
export interface ShortenedTokens {
  readonly generation: number;
  /** Tokens issued at this second or before are at their end, whatever `cuts` says. */
  readonly endedUntilSeconds: number;
  readonly cuts: readonly TokenCut[];
}

/** Shortened tokens that are told apart. Beyond them the oldest ends, and all that were issued before it. */
export const cutsMax = 20;

/** The instant at which a token was made to end, or undefined for one that lives out its time. */
export function shortenedExpiry(
  shortened: ShortenedTokens | undefined,
  token: TokenStamp,
): number | undefined {
  if (shortened?.generation !== token.generation) return undefined;
  if (token.issuedAtSeconds <= shortened.endedUntilSeconds) return 0;
  return shortened.cuts.find((cut) => isOf(cut, token))?.expiresAt;
}

/**
 * A token that is about to be issued, of a later second where its own is that of a shortened one: their texts
 * would be the same, and the new token would be at its end with the old one.
 */
export function unlikeShortened(shortened: ShortenedTokens, token: TokenStamp): TokenStamp {
  if (shortened.generation !== token.generation) return token;
  const seconds = shortened.cuts.map(({ issuedAtSeconds }) => issuedAtSeconds);
  const last = Math.max(shortened.endedUntilSeconds, ...seconds);
  return { ...token, issuedAtSeconds: Math.max(token.issuedAtSeconds, last + 1) };
}

/** The list once `token` has been cut to end at `expiresAt`, in place of what was said of it before. */
export function withCut(
  shortened: ShortenedTokens | undefined,
  token: TokenStamp,
  expiresAt: number,
): ShortenedTokens {
  const { keyId, generation, issuedAtSeconds } = token;
  // Tokens of an earlier generation are expelled: nothing has to be kept of them.
  const known = shortened?.generation === generation ? shortened : { endedUntilSeconds: 0, cuts: [] };
  const others = known.cuts.filter((cut) => !isOf(cut, token));
  const cuts = [...others, { keyId, issuedAtSeconds, expiresAt }];
  const ended = cuts.slice(0, -cutsMax).at(-1);
  const endedUntilSeconds = Math.max(known.endedUntilSeconds, ended?.issuedAtSeconds ?? 0);
  return { generation, endedUntilSeconds, cuts: cuts.slice(-cutsMax) };
}

function isOf(cut: TokenCut, token: TokenStamp): boolean {
  return cut.issuedAtSeconds === token.issuedAtSeconds && cut.keyId === token.keyId;
}
