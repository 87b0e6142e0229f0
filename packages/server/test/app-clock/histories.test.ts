// A history does not depend on whether it came from one advance or many, or on other apps that advance concurrently.

import { developerApi } from '@opentill/contract/developer-api.ts';
import type { Period } from '@opentill/contract/periods.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  freshDatabase,
  type HttpResponse,
  newTestApp,
  recordTestPurchase,
  type TestApp,
  type TestServer,
  testNow,
  useForFile,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { problemsElsewhere } from '../../../../test/support/transfer/transfer.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { firstPeriods, periods } from '../domain/subscriptions/sold-periods.ts';
import { putSubscription } from '../subscription-products.ts';
import { advance, freeze, historyOf, tryAdvance } from './clock-calls.ts';

const { putFaults } = developerApi;

const dayMs = 24 * 60 * 60 * 1000;

/** npm run test:chaos plays more. */
const numRuns = Number(process.env['CLOCK_HISTORIES'] ?? 5);
const concurrentApps = Number(process.env['CLOCK_APPS'] ?? 20);

const [server, second] = await useTwoTestServers();
/** Where exports are checked. */
const copy = await useForFile(freshDatabase());

interface Sold {
  readonly period: Period;
  readonly firstPeriod: string | null;
}

interface Story {
  /** How long ago each subscription started, in ms, and whether its auto-payment was cancelled. */
  readonly subscriptions: readonly (Sold & { readonly age: number; readonly isCancelled: boolean })[];
  readonly faults: readonly object[];
}

async function tell(story: Story): Promise<TestApp> {
  const app = await newTestApp(server);
  await freeze(server, app);
  for (const [index, { age, isCancelled, period, firstPeriod }] of story.subscriptions.entries()) {
    const purchaseId = `S-${index}`;
    await recordTestPurchase(server, app, {
      productId: await putSubscription(server, app, period),
      purchaseId,
      purchaseTime: testNow - age,
      ...(firstPeriod !== null && { firstPeriod: { length: firstPeriod, price: 0 } }),
    });
    if (!isCancelled) continue;
    const path = { purchaseId, action: 'cancel' };
    const cancelled = await callPurchase(server, manageRecurringPaymentStatus, app, { path });
    if (cancelled.status !== 200) throw new Error(cancelled.text);
  }
  const put = await callDeveloper(server, putFaults, { key: app.token, body: story.faults });
  if (put.status !== 200) throw new Error(put.text);
  return app;
}

const faults = fc.record(
  {
    operation: fc.constant('charge'),
    outcome: fc.constantFrom('declined', 'declinedFinal', 'pending', 'noAnswer'),
    firstPurchaseId: fc.constantFrom('S-0', 'S-1', 'S-2'),
    times: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: ['operation', 'outcome', 'times'] },
);

const stories: fc.Arbitrary<Story> = fc.record({
  subscriptions: fc.array(
    fc.record({
      // Some start at the same instant, some a few days apart, some in the past.
      age: fc.oneof(fc.constantFrom(0, 1, dayMs), fc.nat(70 * dayMs)),
      isCancelled: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
      period: periods,
      firstPeriod: firstPeriods,
    }),
    { minLength: 1, maxLength: 5 },
  ),
  faults: fc.array(faults, { maxLength: 4 }),
});

function expectOrderOfTime(events: readonly { readonly time: number }[]): void {
  const times = events.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
}

const monthly = { period: 'P1M', firstPeriod: null } as const;

/** A period that is paid an hour late ends before another one that is due 27 days after that payment. */
const paidLate: [Story, number, number[]] = [
  {
    subscriptions: [
      { age: 2_761_200_001, isCancelled: false, ...monthly },
      { age: 2_761_260_001, isCancelled: false, ...monthly },
    ],
    faults: [{ operation: 'charge', outcome: 'declined', times: 1 }],
  },
  2_336_399_999,
  [0],
];

test('one advance and many smaller ones by alternating servers give the same history, and its export is accepted', async () => {
  const durations = fc.integer({ min: 1, max: 200 * dayMs });
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(stories, durations, cuts, async (story, duration, parts) => {
      const [whole, cut] = [await tell(story), await tell(story)];
      const { count } = await advance(server, whole, { to: testNow + duration });
      let total = 0;
      const ends = [...parts.toSorted((left, right) => left - right), 1];
      for (const [index, end] of ends.entries()) {
        const by = index % 2 === 0 ? server : second;
        total += (await advance(by, cut, { to: testNow + Math.floor(end * duration) })).count;
      }
      const expected = await historyOf(server.connection, whole.packageName);
      expectOrderOfTime(expected.events.slice(-count));
      expect(await historyOf(server.connection, cut.packageName)).toEqual(expected);
      expect(total).toBe(count);
      const between = { from: server.connection, to: copy.connection };
      expect(await problemsElsewhere(between, cut.packageName, { time: testNow })).toEqual([]);
    }),
    { numRuns, examples: [paidLate] },
  );
});

const yearLater = Date.UTC(2027, 2, 15, 12);

/** A server advances a few apps at once; on a busy machine some of the others wait too long and get 503. */
function advanceInTurn(by: TestServer, app: TestApp, order: { readonly to: number }): Promise<HttpResponse> {
  const attempt = async () => {
    const response = await tryAdvance(by, app, order);
    return response.status !== 503 && response;
  };
  return waitFor(attempt, { what: 'an advance that gets its turn' });
}

test('apps that are advanced concurrently each have the history that they have alone', async () => {
  const kinds = fc.sample(stories, { numRuns: 4, seed: 1 });
  const alone: unknown[] = [];
  for (const kind of kinds) {
    const app = await tell(kind);
    await advance(server, app, { by: 'P1Y' });
    alone.push(await historyOf(server.connection, app.packageName));
  }
  const told: TestApp[] = [];
  while (told.length < concurrentApps) told.push(...(await Promise.all(kinds.map(tell))));
  const responses = await Promise.all(
    told.map((app, index) => advanceInTurn(index % 2 === 0 ? server : second, app, { to: yearLater })),
  );
  expect(responses.map(({ status }) => status)).toEqual(told.map(() => 200));
  for (const [index, { packageName }] of told.entries()) {
    expect(await historyOf(server.connection, packageName)).toEqual(alone[index % kinds.length]);
  }
});
