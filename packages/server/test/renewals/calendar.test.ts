// Years of subscriptions in the store's time zone, with clock changes and leap years; the charged months are compared with
// local dates and times.

import { afterEach, expect, test } from 'vitest';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { createTestApp, recordTestPurchase, startTestServer, type TestServer } from '../harness.ts';
import { daysInMonth, onTheWall } from '../wall-clock.ts';
import { hourMs, shownSubscription } from './renewal-stage.ts';

/** When all subscriptions have started, and the end of February in a leap year four years later. */
const begunBy = Date.UTC(2024, 2, 20);
const to = Date.UTC(2028, 2, 2);

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
});

/** The ends of some months of each start; the index starts at 0. */
type Known = Readonly<Record<string, Readonly<Record<number, string>>>>;

const zones: Readonly<Record<string, Known>> = {
  'Asia/Seoul': {
    // 30 January in UTC, where the month would end on the 30th.
    '2024-01-31T00:30:00+09:00': {
      0: '2024-02-29T00:30:00+09:00',
      1: '2024-03-31T00:30:00+09:00',
      12: '2025-02-28T00:30:00+09:00',
      48: '2028-02-29T00:30:00+09:00',
    },
    '2024-03-01T02:30:00+09:00': { 0: '2024-04-01T02:30:00+09:00', 7: '2024-11-01T02:30:00+09:00' },
  },
  'Europe/Berlin': {
    '2024-01-31T02:30:00+01:00': {
      0: '2024-02-29T02:30:00+01:00',
      // This day has no 02:30, and the next one does.
      1: '2024-03-31T03:30:00+02:00',
      2: '2024-04-30T02:30:00+02:00',
      12: '2025-02-28T02:30:00+01:00',
      48: '2028-02-29T02:30:00+01:00',
    },
    // 02:30 is repeated on this day.
    '2024-01-27T02:30:00+01:00': { 8: '2024-10-27T02:30:00+02:00', 9: '2024-11-27T02:30:00+01:00' },
    '2024-02-29T12:00:00+01:00': { 0: '2024-03-29T12:00:00+01:00', 11: '2025-02-28T12:00:00+01:00' },
  },
  'America/New_York': {
    '2024-02-10T02:30:00-05:00': { 0: '2024-03-10T03:30:00-04:00', 1: '2024-04-10T02:30:00-04:00' },
    '2024-02-03T01:30:00-05:00': { 8: '2024-11-03T01:30:00-04:00', 9: '2024-12-03T01:30:00-05:00' },
    '2024-01-31T23:59:59-05:00': {
      0: '2024-02-29T23:59:59-05:00',
      12: '2025-02-28T23:59:59-05:00',
    },
  },
  UTC: {
    '2024-01-31T23:59:59.999Z': { 0: '2024-02-29T23:59:59.999Z', 12: '2025-02-28T23:59:59.999Z' },
    '2024-02-29T00:00:00Z': {
      0: '2024-03-29T00:00:00Z',
      11: '2025-02-28T00:00:00Z',
      47: '2028-02-29T00:00:00Z',
    },
    '2024-03-10T02:30:00Z': { 0: '2024-04-10T02:30:00Z' },
  },
};

interface Month {
  readonly startTime: number;
  readonly expiryTime: number;
}

test.each(Object.keys(zones))(
  'four years of months in %s end on the anchor date at the local time of day',
  async (zone) => {
    server = await startTestServer({ env: { OPENTILL_TIME_ZONE: zone } });
    server.clock.set(begunBy);
    const app = await createTestApp(server);
    await freeze(server, app);
    const known = zones[zone] as Known;
    for (const [index, start] of Object.keys(known).entries()) {
      await recordTestPurchase(server, app, {
        productId: 'monthly',
        purchaseId: `S-${index}`,
        purchaseTime: Date.parse(start),
      });
    }
    await advance(server, app, { to });
    for (const [index, [start, ends]] of Object.entries(known).entries()) {
      const { months } = await shownSubscription({ server, app }, `S-${index}`);
      expect(months.length).toBeGreaterThanOrEqual(48);
      expectByCalendar(Date.parse(start), months, zone);
      const shown = Object.keys(ends).map((month) => months[Number(month)].expiryTime);
      expect(shown.map((end) => new Date(end).toISOString())).toEqual(
        Object.values(ends).map((end) => new Date(end).toISOString()),
      );
    }
  },
);

/** Checks that each month ends on the day and at the time of the first start, later only by the time that a clock change skips. */
function expectByCalendar(start: number, months: readonly Month[], zone: string): void {
  const anchor = onTheWall(start, zone);
  let begun = start;
  for (const [index, { startTime, expiryTime }] of months.entries()) {
    expect(startTime).toBe(begun);
    const end = onTheWall(expiryTime, zone);
    expect(end.months).toBe(anchor.months + index + 1);
    expect(end.day).toBe(Math.min(anchor.day, daysInMonth(end.months)));
    if (end.time !== anchor.time) {
      // The day does not have this time, because clocks skip it.
      expect(end.time).toBe(anchor.time + 3_600);
      expect(onTheWall(expiryTime - hourMs, zone).time).toBe(anchor.time - 3_600);
    }
    expect(expiryTime % 1_000).toBe(start % 1_000);
    begun = expiryTime;
  }
}
