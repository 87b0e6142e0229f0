// Checks of the parameters of the voided list: valid ranges, and invalid queries.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type CheckDraft, check } from '../check.ts';
import { invalidPackageName, refused, searchRuleViolated } from '../error-codes.ts';
import { msPerDay } from '../evidence/subscriptions.ts';
import { entriesOfAll, walkVoided } from '../evidence/voids.ts';
import type { VoidedEntry } from '../evidence.ts';
import { expectError } from '../judgement.ts';
import { judged } from '../verdict.ts';

type Query = Readonly<Record<string, string>>;

/** More than any month and any clock skew. */
const tooOldDays = 33;
const tooEarlyDays = 2;
const msPerSecond = 1_000;

/**
 * Ranges that contain both the purchase and the void of an entry, or neither, because the specification does not say to
 * which of the two times a range applies.
 */
const ranges: readonly {
  readonly rule: string;
  readonly isListed: boolean;
  readonly query: (entry: VoidedEntry, now: number) => Query;
}[] = [
  {
    rule: 'An entry before the startTime is not listed.',
    isListed: false,
    query: ({ voidedTime }, now) => ({ startTime: String(voidedTime + 1), endTime: String(now) }),
  },
  {
    rule: 'An entry after the endTime is not listed.',
    isListed: false,
    query: ({ purchaseTime }) => ({
      startTime: String(purchaseTime - msPerSecond),
      endTime: String(purchaseTime - 1),
    }),
  },
  {
    rule: 'With only a startTime, the range extends one month after it.',
    isListed: true,
    query: ({ purchaseTime }) => ({ startTime: String(purchaseTime - msPerSecond) }),
  },
  {
    rule: 'With only an endTime, the range starts one month before it.',
    isListed: true,
    query: (_, now) => ({ endTime: String(now) }),
  },
];

const brokenRules: readonly (readonly [rule: string, query: (now: number) => Query])[] = [
  [
    'A startTime more than a month ago is rejected with 9101.',
    (now) => ({ startTime: String(now - tooOldDays * msPerDay) }),
  ],
  [
    'An endTime in the future is rejected with 9101.',
    (now) => ({ endTime: String(now + tooEarlyDays * msPerDay) }),
  ],
  ['A startTime that is not a number is rejected with 9101.', () => ({ startTime: 'last-week' })],
  ['An endTime that is not a number is rejected with 9101.', () => ({ endTime: 'this-morning' })],
  ['A maxResults with a sign is rejected with 9101.', () => ({ maxResults: '-1' })],
  ['A maxResults that is not a number is rejected with 9101.', () => ({ maxResults: 'all' })],
];

export const voidedQueryChecks: readonly CheckDraft[] = [
  ...ranges.map(({ rule, isListed, query }) =>
    check({
      section: 'getVoidedPurchases query parameters',
      rule,
      needs: ['caller', 'placedEntry', 'now'],
      run: async ({ caller, placedEntry, now }) => {
        const asked = query(placedEntry, now);
        const pages = await walkVoided(caller, asked);
        if ('missing' in pages) return judged(pages.missing);
        const { purchaseId } = placedEntry;
        const isThere = entriesOfAll(pages.found).some((entry) => entry.purchaseId === purchaseId);
        const found = isThere ? 'was listed' : 'was not listed';
        const problem = `With ${JSON.stringify(asked)}, the entry ${JSON.stringify(placedEntry)} ${found}.`;
        return judged(isThere === isListed ? undefined : problem);
      },
    }),
  ),
  ...brokenRules.map(([rule, query]) =>
    check({
      section: 'Errors',
      rule,
      needs: ['caller', 'rightCall', 'now'],
      run: async ({ caller, now }) =>
        judged(expectError(await caller.call(getVoidedPurchases, { query: query(now) }), searchRuleViolated)),
    }),
  ),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'A continuationKey that was never returned is rejected.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const query = { continuationKey: 'never-returned' };
      const codes = [...searchRuleViolated, ...refused];
      return judged(expectError(await caller.call(getVoidedPurchases, { query }), codes));
    },
  }),
  check({
    section: 'Errors',
    rule: 'A package name other than that of the calling app is rejected with 9100.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const path = { packageName: 'no.such.package' };
      return judged(expectError(await caller.call(getVoidedPurchases, { path }), invalidPackageName));
    },
  }),
];
