// The year that the demo app has behind it: what its customers and its store did, as calls of the operator API by the app's
// time. The same on every machine; only its dates follow from its end.

import { dayMs } from '../../domain/time.ts';

/** A call that the app's clock reaches. */
export interface StoryCall {
  readonly operationId: string;
  /** In addition to the package name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The clock is advanced to `time`; then the sales since the last chapter are recorded, and the calls are made in order. */
export interface Chapter {
  readonly time: number;
  readonly sales: readonly StoryCall[];
  readonly calls: readonly StoryCall[];
}

const clubType = { type: 'subscription', currency: 'EUR' } as const;

export const storyProducts = [
  { productId: 'coins_100', type: 'oneTime', title: '100 coins', price: 199, currency: 'EUR' },
  { productId: 'coins_1000', type: 'oneTime', title: '1,000 coins', price: 1499, currency: 'EUR' },
  { productId: 'sword', type: 'oneTime', title: 'A sword', price: 499, currency: 'EUR' },
  { ...clubType, productId: 'club_monthly', title: 'Club, monthly', price: 999 },
  { ...clubType, productId: 'club_weekly', period: 'P1W', title: 'Club, weekly', price: 299 },
  { ...clubType, productId: 'club_yearly', period: 'P1Y', title: 'Club, yearly', price: 9999 },
] as const;

const chapterMs = 6 * dayMs;
const chaptersCount = 61;
const storyMs = (chaptersCount - 1) * chapterMs;

/** Fewer at the beginning of the year, more at its end. */
const salesOfChapter = { first: 2, last: 7 } as const;
const customers = 60;
/** A subscription starts in every second chapter. */
const subscriptionsCount = 30;

/** Subscriptions by number, each with the chapter before a period that is not paid at the first attempt. */
const declines: Readonly<Record<number, { readonly chapter: number; readonly times: number }>> = {
  2: { chapter: 14, times: 2 },
  5: { chapter: 25, times: 1 },
  // Every attempt is declined, and the subscription expires.
  8: { chapter: 36, times: 5 },
  11: { chapter: 47, times: 2 },
};

interface ClubSale {
  readonly id: string;
  readonly productId: 'club_weekly' | 'club_yearly';
  readonly soldDaysAgo?: number;
  readonly firstPeriod?: { readonly length: string; readonly price: number };
}

/** Subscriptions of weeks and years by their chapter: two years begin with a trial, and the first was sold before the story. */
const otherClubs: Readonly<Record<number, ClubSale>> = {
  1: { id: 'YEAR-1', productId: 'club_yearly', soldDaysAgo: 40 },
  15: { id: 'YEAR-2', productId: 'club_yearly', firstPeriod: { length: 'P14D', price: 0 } },
  41: { id: 'WEEK-1', productId: 'club_weekly' },
  53: { id: 'WEEK-2', productId: 'club_weekly', firstPeriod: { length: 'P1M', price: 99 } },
  59: { id: 'YEAR-3', productId: 'club_yearly', firstPeriod: { length: 'P14D', price: 0 } },
};

/** Subscriptions by number, each with the chapter of its cancel. */
const cancels: Readonly<Record<number, number>> = { 1: 20, 6: 31, 13: 43, 17: 52, 20: 57 };
/** A customer who changed their mind: the chapter after the cancel. */
const reactivated = 13;

/** Voided one-time purchases by the chapter that recorded them; each is voided a chapter later. */
const voids: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  9: { reasonCode: 'customerRequest', note: 'Bought by mistake' },
  22: { reasonCode: 'fraud', note: 'The card was reported as stolen', ticket: 'T-118' },
  34: { reasonCode: 'chargeback', ticket: 'T-204' },
  41: { reasonCode: 'duplicate' },
  50: { reasonCode: 'malfunction', note: 'The sword did not arrive', ticket: 'T-311' },
  56: { reasonCode: 'customerRequest' },
  59: { reasonCode: 'customerRequest', note: 'Bought by a child' },
};

/** The chapters of the year that ends at `end` (ms). */
export function demoStory(end: number): Chapter[] {
  const random = seededRandom(2026);
  const chapters = Array.from({ length: chaptersCount }, (_, chapter) => {
    const time = end - storyMs + chapter * chapterMs;
    return {
      time,
      sales: chapter === 0 ? [] : salesOf({ chapter, time, random }),
      calls: callsOf(chapter, time),
    };
  });
  // A fault that was not used up must not meet the first charge of a visitor.
  const last = chapters.at(-1);
  return [...chapters.slice(0, -1), ...(last ? [{ ...last, calls: [...last.calls, setFaults([])] }] : [])];
}

interface Sales {
  readonly chapter: number;
  readonly time: number;
  readonly random: () => number;
}

function salesOf({ chapter, time, random }: Sales): StoryCall[] {
  const { first, last } = salesOfChapter;
  const count = Math.round(first + ((last - first) * chapter) / chaptersCount + random());
  return Array.from({ length: count }, (_, index) => {
    const draw = random();
    const productId = draw < 0.6 ? 'coins_100' : draw < 0.8 ? 'coins_1000' : 'sword';
    return recordPurchase({
      productId,
      purchaseId: saleId(chapter, index),
      orderId: `ORDER-${chapter}-${index}`,
      buyerId: `B-${1001 + Math.floor(random() * customers)}`,
      purchaseTime: Math.floor(time - chapterMs * random()),
      // The voided ones are not consumed, nor are the newest.
      consumed: productId !== 'sword' && index > 0 && chapter < chaptersCount - 2,
    });
  });
}

function callsOf(chapter: number, time: number): StoryCall[] {
  const calls: StoryCall[] = [];
  const voided = voids[chapter - 1];
  if (voided !== undefined) {
    const path = { purchaseId: saleId(chapter - 1, 0) };
    calls.push({ operationId: 'voidPurchase', path, body: voided });
  }
  const number = chapter / 2;
  if (Number.isInteger(number) && number < subscriptionsCount) {
    const buyerId = `B-${1001 + number}`;
    calls.push(recordPurchase({ productId: 'club_monthly', purchaseId: subscriptionId(number), buyerId }));
  }
  const club = otherClubs[chapter];
  if (club !== undefined) {
    const { id, soldDaysAgo = 0, ...sold } = club;
    const purchaseTime = time - soldDaysAgo * dayMs;
    const buyerId = `B-${1001 + chapter}`;
    calls.push(recordPurchase({ ...sold, purchaseId: `SANDBOX-DEMO-${id}`, purchaseTime, buyerId }));
  }
  for (const [subscription, cancelled] of Object.entries(cancels)) {
    const path = { firstPurchaseId: subscriptionId(Number(subscription)) };
    const body = { reasonCode: 'customerRequest' };
    if (cancelled === chapter) calls.push({ operationId: 'cancelSubscription', path, body });
    if (cancelled + 1 === chapter && Number(subscription) === reactivated)
      calls.push({ operationId: 'reactivateSubscription', path, body });
  }
  for (const [subscription, decline] of Object.entries(declines)) {
    if (decline.chapter !== chapter) continue;
    const firstPurchaseId = subscriptionId(Number(subscription));
    const { times } = decline;
    calls.push(setFaults([{ operation: 'charge', outcome: 'declined', times, firstPurchaseId }]));
  }
  return calls;
}

const recordPurchase = (body: StoryCall['body']): StoryCall => ({ operationId: 'recordPurchase', body });
const setFaults = (faults: readonly unknown[]): StoryCall => ({
  operationId: 'putFaults',
  // Its body is a list.
  body: faults as unknown as StoryCall['body'],
});
const saleId = (chapter: number, index: number): string => `SANDBOX-DEMO-${chapter}-${index}`;
const subscriptionId = (number: number): string => `SANDBOX-DEMO-CLUB-${number}`;

/** Numbers from 0 to 1 (exclusive), always the same ones: the generator mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
