// The query rules of getVoidedPurchases (the specification, "getVoidedPurchases query parameters";
// docs/decisions/purchases.md).

import { maxResults as pageSize, timestampMax } from '@opentill/contract/fields.ts';
import type { PackageName } from '../identifiers.ts';
import { quoteInstant, quoteValue } from '../text/quoted-value.ts';
import { dayMs, minuteMs, secondMs } from '../time.ts';
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
  /** The end is now or the app's last void, whichever is later: no bound says otherwise. Always false with a key. */
  readonly isEndOpen: boolean;
  /** The last entry of the previous page. */
  readonly after?: { readonly voidedTime: number; readonly order: number };
  readonly maxResults: number;
}

/** `reason` completes the message of error 9101: what was expected and what was received. */
type VoidedRangeDecision = VoidedRange | Refusal;

interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  /** Only another time than the given one allows the range: how far ahead of `latest` a bound is, in ms, or 0. */
  readonly aheadMs?: number;
}

/** Times of the app, in ms. */
interface Present {
  readonly now: number;
  /** `now`, or the app's last void if that is later. */
  readonly latest: number;
}

/** 31 days, so that any calendar month of a client is accepted (docs/decisions/purchases.md). */
const monthMs = 31 * dayMs;

/** A bound of "a month ago" may be too old when it arrives, because of latency and clock skew. */
const startToleranceMs = minuteMs;

/** A derived end this close to now, in ms, is open: a start of "a month ago" is older by the latency of its request. */
const openEndMs = secondMs;

const instantDigits = String(timestampMax).length;
const instantForm = new RegExp(`^[0-9]{${instantDigits}}$`);
const pageSizeForm = new RegExp(`^[0-9]{1,${String(pageSize.max).length}}$`);

/** Decides which part of the voided list a page covers. `secrets` verify continuation keys. */
export function decideVoidedRange(
  query: VoidedQuery,
  present: Present,
  packageName: PackageName,
  secrets: readonly Buffer[],
): VoidedRangeDecision {
  const sentStart = parseInstant('startTime', query.startTime);
  if (isRefusal(sentStart)) return sentStart;
  const sentEnd = parseInstant('endTime', query.endTime);
  if (isRefusal(sentEnd)) return sentEnd;
  const maxResults = parseMaxResults(query.maxResults);
  if (isRefusal(maxResults)) return maxResults;
  if (isSent(query.continuationKey)) {
    return continuedRange(query.continuationKey, maxResults, packageName, secrets);
  }
  const refusal =
    checkAge(sentStart, present) ??
    checkAhead('startTime', sentStart, present) ??
    checkAhead('endTime', sentEnd, present);
  if (refusal !== undefined) return refusal;
  const { now, latest } = present;
  const start = sentStart ?? (sentEnd ?? now) - monthMs;
  const end = sentEnd ?? Math.min(start + monthMs, latest);
  if (start > end)
    return refused(
      `startTime: expected at most ${quoteInstant(end)}, the endTime, got ${quoteInstant(start)}`,
    );
  const isEndOpen = sentEnd === undefined && end >= now - openEndMs;
  return { kind: 'range', start, end, isEndOpen, maxResults };
}

/** An empty text counts as absent, because many loops begin with an empty key. */
function isSent(raw: RawParameter): raw is string | readonly string[] {
  return raw !== undefined && raw !== '';
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
  return { kind: 'range', start: point.start, end: point.end, isEndOpen: false, after, maxResults };
}

/** An empty instant is rejected: a caller that lost its position must notice. */
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
  if (!isSent(raw)) return pageSize.default;
  if (typeof raw !== 'string') return refuseDuplicate('maxResults', raw);
  const value = pageSizeForm.test(raw) ? Number(raw) : Number.NaN;
  if (value >= pageSize.min && value <= pageSize.max) return value;
  const expected = `an integer from ${pageSize.min} to ${pageSize.max}`;
  return refused(`maxResults: expected ${expected}, got ${quoteValue(raw)}`);
}

/** Only a startTime has a lower bound: a lone endTime may be any instant that has passed. */
function checkAge(start: number | undefined, { now }: Present): Refusal | undefined {
  if (start === undefined || start >= now - monthMs - startToleranceMs) return undefined;
  const reason = `startTime: expected at least ${quoteInstant(now - monthMs)}, 31 days before now, got ${quoteInstant(start)}`;
  return { ...refused(reason), aheadMs: 0 };
}

function checkAhead(
  name: 'startTime' | 'endTime',
  bound: number | undefined,
  { now, latest }: Present,
): Refusal | undefined {
  if (bound === undefined || bound <= latest) return undefined;
  const reason = `${name}: expected at most ${quoteInstant(now)}, which is now, got ${quoteInstant(bound)}, which is ${bound - now} ms ahead`;
  return { ...refused(reason), aheadMs: bound - latest };
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
