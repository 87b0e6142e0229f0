// docs/client.md: the code and data of the reader's backend.

import { createHmac } from 'node:crypto';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { Site } from '../site.ts';

const purchase = { purchaseId: 'GAME-1001', developerPayload: 'payload-of-the-order' };

export async function prepare({ operator }: Site): Promise<Record<string, string>> {
  const packageName = 'com.example.demo';
  await operator.recordPurchase({ packageName, productId: 'coins_100', ...purchase });
  return {};
}

/** How many times the loop that reads the feed runs before it is stopped. */
const rounds = [1];

/** A webhook signed like those of the server. */
const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const body = '{"type":"test"}';
const id = 'evt_1';
const timestamp = String(Math.floor(systemClock.now() / 1_000));
const signature = createHmac('sha256', Buffer.alloc(32, 3))
  .update(`${id}.${timestamp}.${body}`)
  .digest('base64');

export const given = {
  clientSecret: process.env['PAGE_CLIENT_SECRET'],
  operatorKey: process.env['OPERATOR_KEY'],
  purchaseId: purchase.purchaseId,
  /** A statement of a month without events. */
  statement: {
    packageName: 'com.example.demo',
    name: '2026-01',
    timeZone: 'UTC',
    firstOrder: 1,
    lastOrder: 0,
    totals: [],
  },
  firstPurchaseId: 'SANDBOX-DEMO-MONTHLY',
  order: { payload: purchase.developerPayload },
  refuse(reason: string): never {
    throw new Error(`refused: ${reason}`);
  },
  deliverOnce: async () => undefined,
  readPosition: async () => undefined,
  readCursor: async () => undefined,
  handle: async (_write: object, events: readonly object[], cursor: string) => {
    if (events.length === 0 || cursor === '') throw new Error('no events');
  },
  isRunning: () => rounds.shift() !== undefined,
  database: {
    transaction: (work: (write: object) => Promise<void>) =>
      work({ takeBack: async () => undefined, position: async () => undefined }),
  },
  body,
  request: {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  },
  secret,
  previousSecret: `whsec_${Buffer.alloc(32, 4).toString('base64')}`,
};
