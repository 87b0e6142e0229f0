import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  freshDatabase,
  startTestServer,
  type TestApp,
  type TestDatabase,
  type TestServer,
  testNow,
} from '../harness.ts';
import { TestClock } from '../test-clock.ts';
import { auditLedger } from './ledger-audit.ts';
import { recordPurchases } from './many-purchases.ts';
import { PipelinedConnection, type RawAnswer } from './pipelined-client.ts';

let database: TestDatabase;
let servers: TestServer[];
let app: TestApp;

beforeAll(async () => {
  database = await freshDatabase();
  const clock = new TestClock(testNow);
  // Production has no request log, which would slow the test down.
  const env = { OPENTILL_ENVIRONMENT: 'production' };
  servers = [
    await startTestServer({ database, clock, env }),
    await startTestServer({ database, clock, env }),
  ];
  app = await createTestApp(server(0));
});

afterAll(async () => {
  for (const running of servers) await running.stop();
  await database[Symbol.asyncDispose]();
});

function server(index: number): TestServer {
  const found = servers[index];
  if (found === undefined) throw new Error(`no server ${index}`);
  return found;
}

function consume(purchaseId: string) {
  return {
    method: 'POST',
    path: `/v2/purchase/consume/${purchaseId}/${app.packageName}`,
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
  };
}

/** 1 for a success, otherwise the error code. */
function outcomeOf({ status, body }: RawAnswer): number {
  const parsed = JSON.parse(body);
  return status === 200 ? parsed.consumptionState : parsed.error.code;
}

function count(outcomes: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const rounds = 1_000;
const connectionsOfEach = 5;
const callsOfConnection = 10;

test('exactly one of 100 concurrent consumes on two servers succeeds and 99 get 9201, in each of 1,000 rounds', {
  timeout: 240_000,
}, async () => {
  const purchaseIds = Array.from({ length: rounds }, (_, round) => `race-${round}`);
  await recordPurchases(server(0), app, purchaseIds);
  const connections = servers.flatMap(({ publicUrl }) =>
    Array.from({ length: connectionsOfEach }, () => new PipelinedConnection(publicUrl)),
  );
  const startedAt = performance.now();
  for (const purchaseId of purchaseIds) {
    const calls = Array.from({ length: callsOfConnection }, () => consume(purchaseId));
    const answers = await Promise.all(connections.map((connection) => connection.send(calls)));
    expect(count(answers.flat().map(outcomeOf)), purchaseId).toEqual({ 1: 1, 9201: 99 });
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(`consume races: ${rounds} rounds in ${seconds.toFixed(1)} s\n`);
  for (const connection of connections) connection[Symbol.dispose]();
  expect(await auditLedger(database.connection)).toEqual({});
  const events = await query(
    database.connection,
    `select count(*)::int as events from event where type = 'purchase.consumed' and purchase_id like 'race-%'`,
  );
  expect(events).toEqual([{ events: rounds }]);
});
