// Checks of the parameters of the voided list: valid ranges, and invalid queries.

import { type CheckDraft, errors, voidedQuery } from '../check.ts';
import { msPerDay } from '../evidence.ts';
import { expectError, refused } from '../judgement.ts';
import { entriesOfAll, type VoidedEntry, walkVoided } from '../voided-pages.ts';

type Query = Readonly<Record<string, string | number>>;

/** More than any month and any clock skew. */
const tooOldMs = 33 * msPerDay;
const tooEarlyMs = 2 * msPerDay;

/**
 * Ranges that contain both the purchase and the void of an entry, or neither, because the specification does not say to
 * which of the two times a range applies.
 */
const ranges: readonly (readonly [
  rule: string,
  isListed: boolean,
  (entry: VoidedEntry, now: number) => Query,
])[] = [
  [
    'An entry before the startTime is not listed.',
    false,
    ({ voidedTime }, now) => ({ startTime: voidedTime + 1, endTime: now }),
  ],
  [
    'An entry after the endTime is not listed.',
    false,
    ({ purchaseTime }) => ({ startTime: purchaseTime - 1_000, endTime: purchaseTime - 1 }),
  ],
  [
    'With only a startTime, the range extends one month after it.',
    true,
    ({ purchaseTime }) => ({ startTime: purchaseTime - 1_000 }),
  ],
  ['With only an endTime, the range starts one month before it.', true, (_, now) => ({ endTime: now })],
];

const brokenRules: readonly (readonly [rule: string, query: (now: number) => Query])[] = [
  ['A startTime more than a month ago is rejected with 9101.', (now) => ({ startTime: now - tooOldMs })],
  ['An endTime in the future is rejected with 9101.', (now) => ({ endTime: now + tooEarlyMs })],
  ['A startTime that is not a number is rejected with 9101.', () => ({ startTime: 'last-week' })],
  ['An endTime that is not a number is rejected with 9101.', () => ({ endTime: 'this-morning' })],
  ['A maxResults with a sign is rejected with 9101.', () => ({ maxResults: '-1' })],
  ['A maxResults that is not a number is rejected with 9101.', () => ({ maxResults: 'all' })],
];

export const voidedQueryChecks: readonly CheckDraft[] = [
  ...ranges.map(([rule, isListed, query]) =>
    voidedQuery.check(rule, async (run) => {
      const entry = await run.placedEntry();
      const asked = query(entry, await run.now());
      const pages = await walkVoided(run.call, asked);
      if (typeof pages === 'string') return pages;
      const isThere = entriesOfAll(pages).some(({ purchaseId }) => purchaseId === entry.purchaseId);
      if (isThere === isListed) return undefined;
      const found = isThere ? 'was listed' : 'was not listed';
      return `With ${JSON.stringify(asked)}, the entry ${JSON.stringify(entry)} ${found}.`;
    }),
  ),
  ...brokenRules.map(([rule, query]) =>
    errors.check(rule, async (run) =>
      expectError(await run.wrongQuery(query(await run.now())), 'searchRuleViolated'),
    ),
  ),
  voidedQuery.check('A continuationKey that was never returned is rejected.', async (run) => {
    const response = await run.wrongQuery({ continuationKey: 'never-returned' });
    return expectError(response, 'searchRuleViolated', ...refused);
  }),
  errors.check('A package name other than that of the calling app is rejected with 9100.', async (run) => {
    const path = { packageName: 'no.such.package' };
    return expectError(await run.wrongCall('getVoidedPurchases', path), 'invalidPackageName');
  }),
];
