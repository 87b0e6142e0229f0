// Subscriptions in production with a payment gateway: the handlers, since no server has a gateway yet.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorAnswer } from '../../src/operations/operator-api/operator-handler.ts';
import { operatorHandlers } from '../../src/operations/operator-api/operator-handlers.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { Database } from '../../src/store/database.ts';
import { freshDatabase, type TestDatabase, testNow } from '../harness.ts';

let testDatabase: TestDatabase;
let database: Database;
const path = { packageName: 'com.example.game', productId: 'monthly' };

beforeAll(async () => {
  testDatabase = await freshDatabase();
  database = new Database({
    connection: testDatabase.connection,
    poolSize: 4,
    onIdleFailure: () => undefined,
  });
  await operate('createApp', { packageName: path.packageName });
  await operate('putProduct', { type: 'subscription', price: 1, currency: 'EUR' });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await testDatabase[Symbol.asyncDispose]();
});

async function operate(
  operationId: string,
  body: Record<string, unknown>,
  now = testNow,
): Promise<OperatorAnswer> {
  const handlers = operatorHandlers({
    database,
    randomness: secureRandomness,
    environment: 'production',
    timeZone: 'Asia/Seoul',
    allowsSubscriptions: true,
    forgetApp: () => undefined,
    listEvents: () => expect.fail('nobody asks for events here'),
    webhookRules: { allowsHttp: false, allowsLoopback: false, allowedRanges: [] },
  });
  const handler = handlers.find(({ operation }) => operation.operationId === operationId);
  if (handler === undefined) throw new Error(`There is no handler ${operationId}.`);
  const author = { madeBy: 'operator:test', requestId: 'r' };
  return handler.handle({ path, query: {}, body, now, realNow: now, author });
}

const purchaseTime = Date.UTC(2026, 0, 30, 16); // 31 January, 01:00, in Seoul
const firstMonthEnd = Date.UTC(2026, 1, 27, 16);

test('a first month that is over is refused to the millisecond, naming purchaseTime', async () => {
  const sent = { productId: 'monthly', purchaseTime };
  const refused = await operate('recordPurchase', { ...sent, purchaseId: 'over' }, firstMonthEnd);
  expect(refused).toMatchObject({ problem: 'invalidRequest', errors: [{ path: '/purchaseTime' }] });
  const recorded = await operate('recordPurchase', { ...sent, purchaseId: 'last' }, firstMonthEnd - 1);
  expect(recorded).toMatchObject({ status: 201, body: { expiryTime: firstMonthEnd } });
});

test('repeating a recording is answered with 200 when its first month is long over', async () => {
  const sent = { productId: 'monthly', purchaseTime, orderId: 'repeated' };
  const recorded = await operate('recordPurchase', sent, purchaseTime);
  expect(recorded).toMatchObject({ status: 201 });
  const repeated = await operate('recordPurchase', sent, firstMonthEnd + 365 * 24 * 60 * 60 * 1000);
  expect(repeated).toEqual({ ...recorded, status: 200 });
});
