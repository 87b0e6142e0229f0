// Random purchase ids and app numbers that are already in use.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { noAction } from '../../src/operations/audit/action-recorder.ts';
import { ConsoleSeals } from '../../src/operations/console/console-seals.ts';
import { operatorKeys } from '../../src/operations/console/operator-keys.ts';
import { EventWaiters } from '../../src/operations/events/event-waiters.ts';
import { operatorHandlers } from '../../src/operations/handlers.ts';
import type { OperatorAnswer } from '../../src/operations/operator-handler.ts';
import { settlingOptions } from '../../src/operations/subscriptions/renewal/renewal-options.ts';
import type { Randomness } from '../../src/runtime/randomness.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { installationIdBytes } from '../../src/store/connection/installation.ts';
import { createStore } from '../../src/store/store.ts';
import { freshDatabase, testNow, useForFile } from '../harness.ts';
import { openDatabase } from '../store/open-database.ts';
import { TestClock } from '../test-clock.ts';

const { connection } = await useForFile(freshDatabase());
const database = await useForFile(openDatabase(connection, 4));
const environment = 'sandbox';
const installationId = secureRandomness.bytes(installationIdBytes);
const clock = new StoreClock(new TestClock(testNow), environment);
const store = createStore({ database, environment, installationId, clock, onCallsDropped: () => undefined });
const log = pino({ level: 'silent' });

/** Returns the given values one after another, then the last one repeatedly. */
function drawing(values: readonly number[]): Randomness {
  const left = [...values];
  const next = (): number => (left.length > 1 ? left.shift() : left[0]) ?? 0;
  return {
    bytes: (count) => secureRandomness.bytes(count),
    digits: (count) => String(next()).padStart(count, '0'),
    uint32: next,
  };
}

interface Request {
  readonly operationId: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

async function operate(
  randomness: Randomness,
  { operationId, path = {}, body }: Request,
): Promise<OperatorAnswer> {
  const options = {
    store,
    randomness,
    timeZone: 'UTC',
    priceUnit: 'unspecified' as const,
    allowsSubscriptions: true,
    quotas: { purchasesPerApp: undefined, testWebhooksPerMinute: undefined },
    settling: settlingOptions({
      database,
      environment,
      installationId,
      graceMs: 0,
      clock,
      randomness,
      log,
      onConflict: () => undefined,
    }),
    continuationKeySecrets: () => [],
    eventWaiters: new EventWaiters({
      findOrders: () => expect.fail('no call waits for events'),
      stopping: AbortSignal.abort(),
      onCount: () => undefined,
    }),
    operatorKeys: () => operatorKeys([]),
    seals: new ConsoleSeals({ scope: store, secrets: () => [], keys: () => operatorKeys([]) }),
    answerPurchaseCall: () => expect.fail('no call reads as a developer'),
    attention: { read: () => expect.fail('no call reads what needs attention') },
    webhookRules: { allowsHttp: false, allowsLoopback: false, allowedRanges: [] },
  };
  const handlers = operatorHandlers(options, undefined);
  const handler = handlers.find(({ operation }) => operation.operationId === operationId);
  if (handler === undefined) throw new Error(`There is no handler ${operationId}.`);
  const author = { madeBy: 'operator:test', requestId: 'r', clientAddress: null };
  return handler.handle({
    path,
    query: {},
    body,
    now: testNow,
    realNow: testNow,
    author,
    recordAction: noAction,
  });
}

const create = (packageName: string, randomness: Randomness) =>
  operate(randomness, { operationId: 'createApp', body: { packageName } });

test('an app number that is taken is drawn again and never shared', async () => {
  expect(await create('com.first', drawing([7]))).toMatchObject({ status: 201 });
  expect(await create('com.second', drawing([7, 7, 7, 8]))).toMatchObject({ status: 201 });
  await expect(create('com.third', drawing([7]))).rejects.toThrow('Each of 8 drawn app numbers was taken.');
  expect(await create('com.third', drawing([9]))).toMatchObject({ status: 201 });
});

test('a purchase id that is taken is drawn again, and the existing purchase is unchanged', async () => {
  const path = { packageName: 'com.recorded', productId: 'coins' };
  await create(path.packageName, drawing([100]));
  const product = { type: 'one_time', price: 1, currency: 'EUR' };
  await operate(drawing([0]), { operationId: 'putProduct', path, body: product });
  const record = (buyerId: string, randomness: Randomness) =>
    operate(randomness, { operationId: 'recordPurchase', path, body: { productId: 'coins', buyerId } });
  const first = await record('ann', drawing([7]));
  expect(first).toMatchObject({ status: 201, body: { purchaseId: 'SANDBOX0000000000007' } });
  const second = await record('bob', drawing([7, 7, 8]));
  expect(second).toMatchObject({ status: 201, body: { purchaseId: 'SANDBOX0000000000008', buyerId: 'bob' } });
  await expect(record('eve', drawing([7]))).rejects.toThrow('Each of 8 drawn purchase ids was taken.');
  const readPath = { ...path, purchaseId: 'SANDBOX0000000000007' };
  const kept = await operate(drawing([0]), { operationId: 'getPurchase', path: readPath, body: {} });
  expect(kept).toMatchObject({ body: { buyerId: 'ann', history: [{ type: 'purchase.completed' }] } });
});
