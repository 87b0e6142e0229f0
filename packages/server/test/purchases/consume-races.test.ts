// Concurrent consumes of one purchase on two servers.

import { expect, test } from 'vitest';
import { createTestApp, testNow, useTwoTestServers } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { PipelinedConnection, type RawResponse } from '../http/pipelined-client.ts';
import { auditLedger } from './ledger-audit.ts';
import { recordPurchases } from './many-purchases.ts';

// Production has no request log, which would slow the test down.
const env = { OPENTILL_ENVIRONMENT: 'production' };
const servers = await useTwoTestServers({ clock: new TestClock(testNow), env });
const [server] = servers;
const app = await createTestApp(server);

function consume(purchaseId: string) {
  return {
    method: 'POST',
    path: `/v2/purchase/consume/${purchaseId}/${app.packageName}`,
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
  };
}

/** 1 for a success, otherwise the error code. */
function outcomeOf({ status, body }: RawResponse): number {
  const parsed = JSON.parse(body);
  return status === 200 ? parsed.consumptionState : parsed.error.code;
}

function count(outcomes: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** npm run test:chaos plays more. */
const rounds = Number(process.env['CONSUME_RACES'] ?? 20);
const connectionsOfEach = 5;
const callsOfConnection = 10;

test('exactly one of 100 concurrent consumes on two servers succeeds and 99 get 9201, in every round', async () => {
  const purchaseIds = Array.from({ length: rounds }, (_, round) => `race-${round}`);
  await recordPurchases(server, app, purchaseIds);
  const connections = servers.flatMap(({ publicUrl }) =>
    Array.from({ length: connectionsOfEach }, () => new PipelinedConnection(publicUrl)),
  );
  for (const purchaseId of purchaseIds) {
    const calls = Array.from({ length: callsOfConnection }, () => consume(purchaseId));
    const responses = await Promise.all(connections.map((connection) => connection.send(calls)));
    expect(count(responses.flat().map(outcomeOf)), purchaseId).toEqual({ 1: 1, 9201: 99 });
  }
  for (const connection of connections) connection[Symbol.dispose]();
  expect(await auditLedger(server.connection)).toEqual({});
  const events = await query(
    server.connection,
    `select count(*)::int as events from event where type = 'purchase.consumed' and purchase_id like 'race-%'`,
  );
  expect(events).toEqual([{ events: rounds }]);
});
