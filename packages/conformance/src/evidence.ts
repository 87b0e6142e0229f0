// What checks need before they can tell anything: a token, purchases in a known state, what came of consuming
// one. Each is had once, when the first check asks for it.

import type { Answer } from './answer.ts';
import type { Caller, Calls } from './calls.ts';
import type { Machine } from './runtime/system.ts';
import type { Sandbox } from './sandbox.ts';
import type { ConformanceTarget } from './target.ts';

export interface Evidence {
  readonly calls: Calls;
  readonly target: ConformanceTarget;
  /** The time that the server's bounds are counted from, ms. */
  readonly now: number;
  readonly sandbox: Sandbox;

  /** What a right token request was answered. */
  readonly tokenAnswer: Answer;
  readonly token: string;
  /** With the newest token. */
  readonly caller: Caller;
  /** A purchase call with right headers, which succeeded: so refusing others says something. */
  readonly rightCall: Answer;
  /** Two tokens, the one issued after the other. */
  readonly twoTokens: { readonly earlier: string; readonly later: string };
  readonly renewal: Renewal;
  readonly expiredToken: string;
  readonly otherEnvironmentToken: string;

  readonly unconsumedPurchase: string;
  /** An unconsumed purchase whose product is known. */
  readonly soldPurchase: { readonly purchaseId: string; readonly productId: string };
  /** To be consumed by one call after the other. */
  readonly consumablePurchase: string;
  /** To be consumed by many calls at a time. */
  readonly contestedPurchase: string;
  readonly consumedPurchase: string;
  readonly voidedPurchase: VoidedPurchase;
  readonly otherPurchase: { readonly packageName: string; readonly purchaseId: string };
  readonly largePurchase: LargePurchase;

  readonly subscription: string;
  /** A subscription that has been paid for more than one month. */
  readonly renewedSubscription: string;
  readonly cancellation: Cancellation;

  /** Purchases that were voided in the sandbox just now. */
  readonly sandboxVoids: readonly string[];
  /** A page of the voided list, asked for without parameters, on which something stands. */
  readonly listedPage: Answer;
  /** That page, and those that follow it. */
  readonly voidedPages: readonly VoidedPage[];
  /** Has room to either side: it lies within the month, and before now. */
  readonly placedEntry: VoidedEntry;
  /** A page of one entry, where there are more, and the page that its key leads to. */
  readonly firstPage: Answer;
  readonly secondPage: Answer;

  readonly consumption: Consumption;
  /** What each of many got that consumed a purchase at the same time. */
  readonly race: readonly Answer[];
}

interface Renewal {
  /** Had fewer than 600 seconds left when a token was asked for again. */
  readonly old: string;
  readonly renewed: Answer;
}

export interface VoidedPurchase {
  readonly purchaseId: string;
  /** Whether it was voided within the last month, as far as is known. */
  readonly isRecent: boolean;
}

/** A purchase of a product id and with a developerPayload of the largest size. */
interface LargePurchase {
  readonly purchaseId: string;
  readonly productId: string;
  readonly developerPayload: string;
}

interface Cancellation {
  readonly subscription: string;
  /** The answer to a GET of the path that cancels, before anything else was done. */
  readonly byGet: Answer;
  readonly cancelled: Answer;
  /** What is read of the subscription while it is cancelled. */
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
  /** The continuationKey that it was asked for with. */
  readonly ledBy: string | undefined;
}

interface Consumption {
  readonly purchaseId: string;
  /** The answer to a GET of the path that consumes, before anything else was done. */
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

/** What every provider may use. */
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

/** Is made of other evidence; missing where that is. */
export function provider<const Need extends EvidenceName, T>(
  needs: readonly Need[],
  make: (evidence: Pick<Evidence, Need>, context: EvidenceContext) => Promise<Found<T>> | Found<T>,
): Provider<T> {
  return { needs, make };
}

export interface EvidenceBook {
  /** The evidence of these names; what is missing of it, where anything is. */
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
    // Of all evidence only what was named is there; provider() and check() let nobody see more.
    return found(Object.fromEntries(gathered) as unknown as Evidence);
  };
  return { gather };
}
