// The year of the demo app: which calls it consists of, whenever it ends.

import { expect, test } from 'vitest';
import { demoStory, storyMs } from '../../src/program/demo-story.ts';

test('the story is the same whenever it ends, except for its times', () => {
  const callsUntil = (end: number) =>
    demoStory(end).map(({ time, sales, calls }) => ({
      ago: end - time,
      calls,
      sales: sales.map(({ body: { purchaseTime, ...body } }) => ({
        ...body,
        ago: end - Number(purchaseTime),
      })),
    }));
  expect(callsUntil(Date.UTC(2026, 10, 26))).toEqual(callsUntil(Date.UTC(2031, 2, 1, 13, 7)));
});

test('the story is a year of about 300 purchases in order of time, and every sale is in its chapter', () => {
  const end = Date.UTC(2026, 10, 26);
  const chapters = demoStory(end);
  expect(chapters[0]?.time).toBe(end - storyMs);
  expect(chapters.at(-1)?.time).toBe(end);
  const calls = chapters.flatMap((chapter) => [...chapter.sales, ...chapter.calls]);
  const recorded = calls.filter(({ operationId }) => operationId === 'recordPurchase');
  expect(recorded.length).toBeGreaterThan(280);
  expect(recorded.length).toBeLessThan(350);
  expect(new Set(recorded.map(({ body }) => body['purchaseId'])).size).toBe(recorded.length);
  expect(recorded.filter(({ body }) => body['productId'] === 'club_monthly')).toHaveLength(30);
  chapters.forEach(({ time, sales }, index) => {
    for (const { body } of sales) {
      expect(body['purchaseTime']).toBeLessThanOrEqual(time);
      expect(body['purchaseTime']).toBeGreaterThan((chapters[index - 1]?.time ?? 0) - 1);
    }
  });
});
