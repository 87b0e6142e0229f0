// The query rules of getVoidedPurchases (the specification, "getVoidedPurchases query parameters";
// docs/decisions/purchases.md).

import { maxResults as pageSize, timestampMax } from '@opentill/contract/fields.ts';
import type { PackageName } from '../identifiers.ts';
import { quoteValue } from '../quoted-value.ts';
import { decodeContinuationKey } from './continuation-key.ts';

/** A parameter as received: missing, a text, or multiple texts if it was sent more than once. */
export type RawParameter = string | readonly string[] | undefined;

export interface VoidedQuery {
  readonly startTime?: RawParameter;
  readonly endTime?: RawParameter;
  readonly maxResults?: RawParameter;
  readonly continuationKey?: RawParameter;
}

export interface VoidedRange {
  readonly kind: 'range';
  /** The range of voidedTime in ms, both ends inclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * True if no endTime was sent. An end of `now` then includes the app's latest void, even if the clock of another server
   * put it after now. Always false with a key, whose end is fixed.
   */
  readonly endIsDerived: boolean;
  /** The last entry of the previous page. */
  readonly after?: { readonly voidedTime: number; readonly order: number };
  readonly maxResults: number;
}

/** `reason` completes the message of error 9101: what was expected and what was received. */
type VoidedRangeDecision = VoidedRange | Refusal;

interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  /** The only problem is a bound after now, which is valid if the clock of another server is ahead. */
  readonly isAfterNow?: true;
}

/** 31 days, so that any calendar month of a client is accepted (docs/decisions/purchases.md). */
const monthMs = 31 * 24 * 60 * 60 * 1000;

/** A bound of "a month ago" may be too old when it arrives, because of latency and clock skew. */
const startToleranceMs = 60_000;

/** A bound of "now" may be in the future when it arrives, because the client's clock is ahead; a derived one is past. */
export const endToleranceMs = 1000;

const instantDigits = String(timestampMax).length;
const instantForm = new RegExp(`^[0-9]{${instantDigits}}$`);
const pageSizeForm = new RegExp(`^[0-9]{1,${String(pageSize.max).length}}$`);

/** Decides which part of the voided list a page covers. `secrets` verify continuation keys. */
export function decideVoidedRange(
  query: VoidedQuery,
  now: number,
  packageName: PackageName,
  secrets: readonly Buffer[],
): VoidedRangeDecision {
  const sentStart = parseInstant('startTime', query.startTime);
  if (isRefusal(sentStart)) return sentStart;
  const sentEnd = parseInstant('endTime', query.endTime);
  if (isRefusal(sentEnd)) return sentEnd;
  const maxResults = parseMaxResults(query.maxResults);
  if (isRefusal(maxResults)) return maxResults;
  if (query.continuationKey !== undefined) {
    return continuedRange(query.continuationKey, maxResults, packageName, secrets);
  }
  const refusal = checkBound('startTime', sentStart, now) ?? checkBound('endTime', sentEnd, now);
  if (refusal !== undefined) return refusal;
  const start = sentStart ?? (sentEnd ?? now) - monthMs;
  // A start up to one second after now is accepted, and is then also the end.
  const end = sentEnd ?? Math.max(start, Math.min(start + monthMs, now));
  if (start > end) return refused(`startTime: expected at most ${end} (endTime), got ${start}`);
  return { kind: 'range', start, end, endIsDerived: sentEnd === undefined, maxResults };
}

/** The range of the key applies; bounds sent with it are only checked for their format. */
function continuedRange(
  raw: string | readonly string[],
  maxResults: number,
  packageName: PackageName,
  secrets: readonly Buffer[],
): VoidedRangeDecision {
  if (typeof raw !== 'string') return refuseDuplicate('continuationKey', raw);
  const point = decodeContinuationKey(raw, packageName, secrets);
  if (point === undefined) {
    return refused(`continuationKey: expected a key from a page of this app, got ${quoteValue(raw)}`);
  }
  const after = { voidedTime: point.lastVoidedTime, order: point.lastOrder };
  return { kind: 'range', start: point.start, end: point.end, endIsDerived: false, after, maxResults };
}

function parseInstant(name: 'startTime' | 'endTime', raw: RawParameter): number | undefined | Refusal {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string') return refuseDuplicate(name, raw);
  if (!instantForm.test(raw)) {
    return refused(`${name}: expected ${instantDigits} digits (ms since 1970), got ${quoteValue(raw)}`);
  }
  return Number(raw);
}

/** One to three digits; leading zeros are ignored, so `007` is 7. */
function parseMaxResults(raw: RawParameter): number | Refusal {
  if (raw === undefined) return pageSize.default;
  if (typeof raw !== 'string') return refuseDuplicate('maxResults', raw);
  const value = pageSizeForm.test(raw) ? Number(raw) : Number.NaN;
  if (value >= pageSize.min && value <= pageSize.max) return value;
  const expected = `an integer from ${pageSize.min} to ${pageSize.max}`;
  return refused(`maxResults: expected ${expected}, got ${quoteValue(raw)}`);
}

function checkBound(
  name: 'startTime' | 'endTime',
  bound: number | undefined,
  now: number,
): Refusal | undefined {
  if (bound === undefined) return undefined;
  if (bound < now - monthMs - startToleranceMs) {
    return refused(`${name}: expected at least ${now - monthMs} (31 days before now), got ${bound}`);
  }
  if (bound > now + endToleranceMs) {
    return { ...refused(`${name}: expected at most ${now} (now), got ${bound}`), isAfterNow: true };
  }
  return undefined;
}

function refuseDuplicate(name: string, values: readonly string[]): Refusal {
  return refused(`${name}: expected exactly one, got ${values.length}`);
}

function refused(reason: string): Refusal {
  return { kind: 'refused', reason };
}

function isRefusal(value: number | undefined | Refusal): value is Refusal {
  return typeof value === 'object';
}
