// How many statements a change sends, counted on the way to the database, with the begin and the commit of a transaction.

import { extendSubscription } from '@opentill/contract/operator-api/extendSubscription.ts';
import { expect, test } from 'vitest';
import {
  createTestApp,
  freshDatabase,
  operate,
  recordTestPurchase,
  startTestServer,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  dayMs,
  firstDue,
  openJobWith,
  secondDue,
  shownSubscription,
  stageEnv,
  stageStart,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';

const database = await useForFile(freshDatabase());
const proxy = await useForFile(DatabaseProxy.start(database.connection));
const clock = new TestClock(stageStart);
await clock.drive(database);
const gateway = { charge: () => Promise.resolve({ outcome: 'paid' } as const) };
const env = stageEnv({ url: 'http://127.0.0.1:9/' });
const server = await useForFile(startTestServer({ database: proxy, clock, env }));
const app = await createTestApp(server);
const { packageName } = app;

/** The types of the messages that a client of PostgreSQL sends: each has a type of one byte and its length in four. */
function messageTypes(bytes: Buffer): string[] {
  const types: string[] = [];
  for (let start = 0; start < bytes.length; start += 1 + bytes.readUInt32BE(start + 1)) {
    types.push(String.fromCharCode(bytes[start] ?? 0));
  }
  return types;
}

/** A connection is open already, so that each chunk is whole messages: E executes a prepared statement, Q a text. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  proxy.onStatement((bytes) => {
    count += messageTypes(bytes).filter((type) => type === 'E' || type === 'Q').length;
  });
  await work();
  proxy.onStatement(() => undefined);
  return count;
}

test('an extension sends 10 statements', async () => {
  await clock.set(stageStart);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  const extend = (days: number) => async () => {
    const path = { packageName, firstPurchaseId: 'S-1' };
    const body = { expiryTime: firstDue + days * dayMs };
    expect((await callOperator(server, extendSubscription, { path, body })).status).toBe(200);
  };
  await extend(1)();
  expect(await statementsOf(extend(2))).toBe(10);
});

test('a renewal sends 20 statements, from the poll that finds it to the commit of its period', async () => {
  await clock.set(stageStart);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-2' });
  await using one = openJobWith(
    { connection: proxy.connection, clock },
    { gateway, environment: 'production' },
  );
  await one.job.runOnce();
  for (const due of [firstDue, secondDue]) {
    await clock.set(due);
    expect(await statementsOf(() => one.job.runOnce())).toBe(20);
  }
  expect((await shownSubscription({ server, app }, 'S-2')).periods).toHaveLength(3);
});

test('a poll for the events of the whole store, which lists its apps, sends 2 statements', async () => {
  const list = () => operate(server, 'GET', '/apps?pageSize=1000');
  const { body } = await list();
  expect(body.apps).toMatchObject([{ packageName, eventOrder: expect.any(Number) }]);
  expect(await statementsOf(list)).toBe(2);
});
