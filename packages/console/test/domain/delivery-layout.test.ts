// The layout of the picture of a delivery, as properties.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  deliveryEdge,
  deliveryMarkGap,
  layOutDelivery,
  tickGap,
} from '../../src/pictures/delivery-layout.ts';

const eventTime = Date.UTC(2026, 2, 16);
const attemptsMax = 20;

const sinceMs = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: -5_000, max: 40 * 86_400_000 }),
);
const attempt = fc.record(
  {
    sinceMs,
    httpStatus: fc.integer({ min: 200, max: 599 }),
    failure: fc.constantFrom('timedOut', 'connectionRefused'),
  },
  { requiredKeys: ['sinceMs'] },
);
const delivery = fc.record({
  attempts: fc
    .array(attempt, { maxLength: attemptsMax })
    .map((attempts) =>
      attempts
        .toSorted((left, right) => left.sinceMs - right.sinceMs)
        .map(({ sinceMs: since, ...rest }) => ({ ...rest, appTime: eventTime + since })),
    ),
  dueMs: fc.option(fc.integer({ min: 0, max: 80 * 86_400_000 }), { nil: undefined }),
});
const width = fc.integer({ min: 344, max: 1_600 });

/** Rounding of positions. */
const tolerance = 1e-6;

test('each attempt and the next one has a mark, in order, none outside and none overlapping', () => {
  fc.assert(
    fc.property(delivery, width, ({ attempts, dueMs }, pixels) => {
      const dueTime =
        dueMs === undefined ? undefined : Math.max(eventTime, attempts.at(-1)?.appTime ?? 0) + dueMs;
      const { marks, ticks } = layOutDelivery({ eventTime, attempts, dueTime }, pixels);
      expect(marks).toHaveLength(attempts.length + (dueTime === undefined ? 0 : 1));
      expect(marks.map((mark) => mark.attempt)).toEqual(marks.map((_, index) => index + 1));
      expect(marks.filter(({ kind }) => kind === 'next')).toHaveLength(dueTime === undefined ? 0 : 1);
      for (const row of [
        { places: marks, gap: deliveryMarkGap },
        { places: ticks, gap: tickGap },
      ]) {
        for (const [index, { x }] of row.places.entries()) {
          expect(x).toBeGreaterThanOrEqual(deliveryEdge - tolerance);
          expect(x).toBeLessThanOrEqual(pixels - deliveryEdge + tolerance);
          const before = row.places[index - 1]?.x ?? Number.NEGATIVE_INFINITY;
          expect(x - before).toBeGreaterThanOrEqual(row.gap - tolerance);
        }
      }
    }),
  );
});

test('a mark shows how its attempt ended', () => {
  const attempts = [
    { appTime: eventTime, failure: 'timedOut' },
    { appTime: eventTime + 1, httpStatus: 200, failure: 'connectionLost' },
    { appTime: eventTime + 2, httpStatus: 302 },
    { appTime: eventTime + 3, httpStatus: 204 },
  ];
  const { marks } = layOutDelivery({ eventTime, attempts }, 800);
  expect(marks.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'rejected', 'delivered']);
});

test('the scale is logarithmic and labeled: seconds have as much room as days', () => {
  const attempts = [0, 5_000, 35_000, 3 * 86_400_000].map((since) => ({
    appTime: eventTime + since,
    httpStatus: 500,
  }));
  const { marks, ticks } = layOutDelivery({ eventTime, attempts }, 800);
  expect(ticks.map(({ label }) => label)).toEqual([
    'event',
    '10 s',
    '1 min',
    '10 min',
    '1 h',
    '6 h',
    '1 d',
    '3 d',
  ]);
  expect((marks[2]?.x ?? 0) - (marks[0]?.x ?? 0)).toBeGreaterThan(800 / 4);
});
