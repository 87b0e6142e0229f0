// The evidence that checks need, such as a token or purchases in a known state. Each piece is obtained once, when the
// first check needs it.

import type { Answer } from './answer.ts';
import type { Caller, Calls } from './calls.ts';
import type { Machine } from './runtime/system.ts';
import type { Sandbox } from './sandbox.ts';
import type { ConformanceTarget } from './target.ts';

export interface Evidence {
  readonly calls: Calls;
  readonly target: ConformanceTarget;
  /** The current time of the server, in ms. */
  readonly now: number;
  readonly sandbox: Sandbox;

  /** The response to a valid token request. */
  readonly tokenAnswer: Answer;
  readonly token: string;
  /** Calls with the newest token. */
  readonly caller: Caller;
  /** A successful call with valid headers, without which a rejected call proves nothing. */
  readonly rightCall: Answer;
  /** Two tokens, issued one after the other. */
  readonly twoTokens: { readonly earlier: string; readonly later: string };
  readonly renewal: Renewal;
  readonly expiredToken: string;
  readonly otherEnvironmentToken: string;

  readonly unconsumedPurchase: string;
  /** An unconsumed purchase whose product is known. */
  readonly soldPurchase: { readonly purchaseId: string; readonly productId: string };
  /** Consumed by several calls, one after the other. */
  readonly consumablePurchase: string;
  /** Consumed by many concurrent calls. */
  readonly contestedPurchase: string;
  readonly consumedPurchase: string;
  readonly voidedPurchase: VoidedPurchase;
  readonly otherPurchase: { readonly packageName: string; readonly purchaseId: string };
  readonly largePurchase: LargePurchase;

  readonly subscription: string;
  /** A subscription that has been paid for more than one month. */
  readonly renewedSubscription: string;
  readonly cancellation: Cancellation;

  /** Purchases that were just voided in the sandbox. */
  readonly sandboxVoids: readonly string[];
  /** A page of the voided list, read without parameters, that is not empty. */
  readonly listedPage: Answer;
  /** All pages of the voided list. */
  readonly voidedPages: readonly VoidedPage[];
  /** An entry with room on both sides: within the last month and before now. */
  readonly placedEntry: VoidedEntry;
  /** A page with maxResults 1 although there are more entries, and the page after it. */
  readonly firstPage: Answer;
  readonly secondPage: Answer;

  readonly consumption: Consumption;
  /** The responses to concurrent consumptions of one purchase. */
  readonly race: readonly Answer[];
}

interface Renewal {
  /** A token with less than 600 seconds left when the next one was requested. */
  readonly old: string;
  readonly renewed: Answer;
}

export interface VoidedPurchase {
  readonly purchaseId: string;
  /** Whether it is known to have been voided within the last month. */
  readonly isRecent: boolean;
}

/** A purchase whose productId and developerPayload have the maximum size. */
interface LargePurchase {
  readonly purchaseId: string;
  readonly productId: string;
  readonly developerPayload: string;
}

interface Cancellation {
  readonly subscription: string;
  /** The response to a GET of the path that cancels, before any other call. */
  readonly byGet: Answer;
  readonly cancelled: Answer;
  /** The details while the subscription is cancelled. */
  readonly details: Answer;
  readonly lastDetails: Answer;
  readonly reactivated: Answer;
}

export interface VoidedEntry {
  readonly purchaseId: string;
  readonly purchaseTime: number;
  readonly voidedTime: number;
}

export interface VoidedPage {
  readonly entries: readonly VoidedEntry[];
  /** The continuationKey of the request. */
  readonly ledBy: string | undefined;
}

interface Consumption {
  readonly purchaseId: string;
  /** The response to a GET of the path that consumes, before any other call. */
  readonly byGet: Answer;
  readonly detailsAfterGet: Answer;
  readonly first: Answer;
  readonly detailsAfterFirst: Answer;
  readonly second: Answer;
  readonly detailsAfterSecond: Answer;
}

export type EvidenceName = keyof Evidence;

export type Found<T> = { readonly found: T } | { readonly missing: string };

export const found = <T>(value: T): Found<T> => ({ found: value });
export const missing = (because: string): { readonly missing: string } => ({ missing: because });

/** The context of every provider. */
interface EvidenceContext {
  readonly target: ConformanceTarget;
  readonly calls: Calls;
  readonly machine: Machine;
  readonly usesSandbox: boolean;
  find<Name extends EvidenceName>(name: Name): Promise<Found<Evidence[Name]>>;
}

export interface Provider<T> {
  readonly needs: readonly EvidenceName[];
  make(evidence: Evidence, context: EvidenceContext): Promise<Found<T>> | Found<T>;
}

export type Providers<Name extends EvidenceName> = { readonly [One in Name]: Provider<Evidence[One]> };

/** Declares evidence that depends on other evidence, and is missing if that is. */
export function provider<const Need extends EvidenceName, T>(
  needs: readonly Need[],
  make: (evidence: Pick<Evidence, Need>, context: EvidenceContext) => Promise<Found<T>> | Found<T>,
): Provider<T> {
  return { needs, make };
}

export interface EvidenceBook {
  /** Returns the named evidence, or why some of it is missing. */
  gather(names: readonly EvidenceName[]): Promise<Found<Evidence>>;
}

export function openEvidence(
  providers: Providers<EvidenceName>,
  context: Omit<EvidenceContext, 'find'>,
): EvidenceBook {
  const had = new Map<EvidenceName, Promise<Found<unknown>>>();
  const find = (name: EvidenceName): Promise<Found<unknown>> => {
    const known = had.get(name) ?? make(name);
    had.set(name, known);
    return known;
  };
  const make = async (name: EvidenceName): Promise<Found<unknown>> => {
    const { needs, make: makeOf } = providers[name];
    const evidence = await gather(needs);
    if ('missing' in evidence) return evidence;
    return makeOf(evidence.found, { ...context, find: find as EvidenceContext['find'] });
  };
  const gather = async (names: readonly EvidenceName[]): Promise<Found<Evidence>> => {
    const gathered: [EvidenceName, unknown][] = [];
    for (const name of names) {
      const evidence = await find(name);
      if ('missing' in evidence) return evidence;
      gathered.push([name, evidence.found]);
    }
    // Only the named evidence is present; the types of provider() and check() give no access to the rest.
    return found(Object.fromEntries(gathered) as unknown as Evidence);
  };
  return { gather };
}
