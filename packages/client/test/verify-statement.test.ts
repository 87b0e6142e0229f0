// What verifyStatement makes of a feed and a statement that contradict each other.

import { expect, test } from 'vitest';
import { type EventPage, OpenTillError, type Statement, verifyStatement } from '../src/index.ts';

const event = (order: number, more: object = {}): object => ({
  order,
  type: 'purchase.completed',
  price: 500,
  currency: 'EUR',
  ...more,
});
const voided = (order: number) => event(order, { type: 'purchase.voided', refundAmount: 200 });

/** A feed of pages, the last of which is empty. */
const feedOf = (...pages: readonly (readonly object[])[]) => {
  const rest = [...pages];
  return {
    listEvents: async () =>
      ({ events: rest.shift() ?? [], cursor: 'next', hasMore: false }) as unknown as EventPage,
  };
};

const sums = { sales: 1, salesAmount: 500, trials: 0, renewals: 0, renewalsAmount: 0 };
const total = { currency: 'EUR', ...sums, refunds: 1, refundsAmount: 200, netAmount: 300 };
const statement = (more: object = {}) =>
  ({ firstOrder: 4, lastOrder: 5, totals: [total], ...more }) as unknown as Statement;

const feed = () => feedOf([event(4)], [voided(5), event(6)]);

test('the events of a statement prove it, whatever comes after them', async () => {
  expect(await verifyStatement(feed(), statement())).toEqual({ outcome: 'proved' });
});

test.each([
  ['EUR refundsAmount: expected 200, got 100', feed(), { totals: [{ ...total, refundsAmount: 100 }] }],
  ['EUR sales: expected 1, got 0', feed(), { totals: [] }],
  ['JPY sales: expected 0, got 1', feed(), { totals: [total, { ...total, currency: 'JPY' }] }],
  ['the feed has no event 5', feedOf([event(4), event(6)]), {}],
])('the difference is named: %s', async (difference, client, more) => {
  expect(await verifyStatement(client, statement(more))).toEqual({ outcome: 'different', difference });
});

test('a statement without its events is not provable', async () => {
  const gone = {
    listEvents: () => Promise.reject(new OpenTillError('listEvents', 'gone', { httpStatus: 410 })),
  };
  for (const [client, more] of [
    [gone, {}],
    [feedOf([event(4)]), {}],
    [feed(), { isIncomplete: true }],
  ] as const)
    expect(await verifyStatement(client, statement(more))).toEqual({ outcome: 'notProvable' });
});
