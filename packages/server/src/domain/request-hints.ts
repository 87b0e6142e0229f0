// The hints of the request log that follow from calls in a row. Those that a call earns by itself are told when
// it is logged (docs/decisions/request-log.md).

import type { HintName } from '@opentill/contract/logged-request.ts';

/** What of a call counts for those after it. */
export interface CallFacts {
  /** getAccessToken: tells the token that was given from others, and nothing more. */
  readonly tokenStamp?: string;
  /** The purchase that was found, or consumed. */
  readonly purchaseId?: string;
  /** getVoidedPurchases: the range of a walk's first page, in the app's time. */
  readonly range?: { readonly start: number; readonly end: number };
  /** getVoidedPurchases: the page was not the last of its walk. */
  readonly hasNextPage?: boolean;
}

interface CallInRow {
  readonly operationId: string;
  readonly calledAt: number;
  /** The call succeeded. */
  readonly isSuccess: boolean;
  readonly facts: CallFacts;
}

/** A second instance that starts with the first asks for a token too; within this time, in ms, it is a habit. */
const askedAgainMs = 60_000;

/** The hints of each call, of all calls of an app in their order. */
export function hintsInRow(calls: readonly CallInRow[]): HintName[][] {
  const seen = new SeenCalls();
  return calls.map((call) => (call.isSuccess ? seen.next(call) : []));
}

class SeenCalls {
  #tokenCall: CallInRow | undefined;
  readonly #checkedPurchases = new Set<string>();
  #rangeEnd: number | undefined;
  #hasNextPage = false;

  next(call: CallInRow): HintName[] {
    switch (call.operationId) {
      case 'getAccessToken':
        return this.#token(call);
      case 'getPurchaseDetailsByProductId':
        if (call.facts.purchaseId !== undefined) this.#checkedPurchases.add(call.facts.purchaseId);
        return [];
      case 'consumePurchase':
        return this.#checkedPurchases.has(call.facts.purchaseId ?? '') ? [] : ['productNotChecked'];
      case 'getVoidedPurchases':
        return this.#voidedPage(call.facts);
      default:
        return [];
    }
  }

  #token(call: CallInRow): HintName[] {
    const before = this.#tokenCall;
    this.#tokenCall = call;
    if (before === undefined) return [];
    // The same token is given only while it has 600 seconds or more left.
    const isSame = before.facts.tokenStamp === call.facts.tokenStamp;
    return isSame && call.calledAt - before.calledAt < askedAgainMs ? ['tokenAskedAgain'] : [];
  }

  #voidedPage({ range, hasNextPage = false }: CallFacts): HintName[] {
    const hints: HintName[] = [];
    if (range !== undefined) {
      if (this.#hasNextPage) hints.push('voidedPagesLeft');
      if (this.#rangeEnd !== undefined && range.start > this.#rangeEnd) hints.push('voidedRangeGap');
      this.#rangeEnd = range.end;
    }
    this.#hasNextPage = hasNextPage;
    return hints;
  }
}
