// What one server keeps in memory while it delivers for one webhook.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeliveryAttempts } from '../../src/jobs/webhooks/delivery-attempts.ts';
import type { SendOutcome } from '../../src/jobs/webhooks/webhook-sender.ts';
import { AdaptiveLimit } from '../../src/runtime/adaptive-limit.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import type { FreshEvent } from '../../src/store/webhooks/undelivered-events.ts';

const packageName = 'com.example.game';
const scope = { environment: 'sandbox', packageName } as const;
const limits = { total: 4, crowdedFrom: 4, perKeyMax: 4, initial: 4, noResponseCost: 2, unresponsiveMax: 1 };

type End = 'delivered' | 'failed' | 'unanswered';

const eventOf = (order: number, purchaseId: string | null, isBehind: boolean): FreshEvent => ({
  ...{ order, type: 'test', eventTime: 0, requestId: 'r', madeBy: 'app', packageName, isBehind },
  ...{ purchaseId, firstPurchaseId: null, productId: null, expiryReason: null, record: null },
  ...{ purchaseTime: null, consumedTime: null, developerPayload: null },
  ...{ price: null, currency: null, voidCause: null },
});

function answered(httpStatus: number): SendOutcome {
  return {
    latencyMs: 1,
    httpStatus,
    location: undefined,
    failure: undefined,
    answer: '',
    isAnswerCut: false,
  };
}

/** A webhook whose attempts end as given by the order of their event. */
function openAttempts(ends: readonly End[]) {
  const sent: number[] = [];
  const late = Promise.withResolvers<void>();
  const slots = new AdaptiveLimit(limits);
  slots.open(packageName);
  const attempts = new DeliveryAttempts(
    {
      sender: {
        async send({ body }) {
          const { order } = JSON.parse(body);
          sent.push(order);
          if (ends[order - 1] === 'unanswered') await late.promise;
          return answered(ends[order - 1] === 'failed' ? 500 : 204);
        },
        close: () => undefined,
      },
      slots,
      mayGiveUp: async () => true,
      randomness: secureRandomness,
      onAttempt: () => undefined,
      stopping: new AbortController().signal,
    },
    { scope, holder: 'h', cursorOrder: 0, hasDue: false },
  );
  attempts.endpoint = {
    url: new URL('https://hooks.example/'),
    lastEventOrder: ends.length,
    instants: () => ({ realNow: 0, now: 0 }),
    secretsAt: () => [Buffer.alloc(24)],
  };
  return { attempts, sent, answerLate: () => late.resolve() };
}

const event = fc.record({
  subject: fc.constantFrom('a', 'b', 'c', null),
  end: fc.constantFrom<End[]>('delivered', 'delivered', 'failed', 'unanswered'),
});

test('after a round, each event is left or has a record, and no event of a subject overtakes another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20, size: 'max' }), async (given) => {
      const { attempts, sent, answerLate } = openAttempts(given.map(({ end }) => end));
      const events = given.map(({ subject }, index) => eventOf(index + 1, subject, false));
      for (const chain of attempts.chainsOf(events)) attempts.add(chain);
      await attempts.send(5);
      const left = attempts.endRound().flatMap((chain) => [chain.event, ...chain.behind]);
      const { records } = attempts.takeRecords();
      const orders = [...left.map(({ order }) => order), ...records.map(({ eventOrder }) => eventOrder)];
      expect(orders.toSorted((one, other) => one - other)).toEqual(events.map(({ order }) => order));
      const stateOf = new Map(records.map(({ eventOrder, state }) => [eventOrder, state]));
      for (const subject of ['a', 'b', 'c']) {
        const own = events.filter(({ purchaseId }) => purchaseId === subject).map(({ order }) => order);
        // Delivered ones, at most one that waits, and those behind it.
        const states = own.map((order) => stateOf.get(order) ?? 'left');
        expect(states.join(' ')).toMatch(/^(?:delivered ?)*(?:(?:waiting ?)(?:held ?)*|(?:left ?)+)?$/);
        expect(sent.filter((order) => own.includes(order))).toEqual(
          own.filter((order) => ['delivered', 'waiting'].includes(stateOf.get(order) ?? '')),
        );
      }
      const inFlight = records.filter(
        ({ attempts: made, state }) => state === 'waiting' && made.length === 0,
      );
      answerLate();
      await attempts.drain();
      const late = attempts.takeRecords().records.map(({ eventOrder }) => eventOrder);
      expect(late.toSorted()).toEqual(inFlight.map(({ eventOrder }) => eventOrder).toSorted());
    }),
    { numRuns: 60 },
  );
});

test('an event behind a delivery that is open in the database is held', () => {
  const { attempts } = openAttempts(['delivered', 'delivered']);
  const chains = attempts.chainsOf([eventOf(1, 'a', true), eventOf(2, 'b', false)]);
  expect(chains.map((chain) => chain.event.order)).toEqual([2]);
  const { records, isPlain } = attempts.takeRecords();
  expect([records.map(({ eventOrder, state }) => [eventOrder, state]), isPlain]).toEqual([
    [[1, 'held']],
    false,
  ]);
});
