// Both servers of a store are killed during a renewal run and started again.

import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestApp, databaseEnv } from '../harness.ts';
import { finishRenewals, runKillRounds } from './kill-rounds.ts';
import { stageEnv, startRenewalStage } from './renewal-stage.ts';
import { auditSubscriptions } from './subscription-audit.ts';

const rounds = 2;

test('whenever both servers are killed, every period is paid exactly once, without a gap, and published once', async () => {
  await using stage = await startRenewalStage();
  const { connection } = stage.server;
  const other = await createTestApp(stage.server, 'com.example.other');
  const client = new Client(connection);
  await client.connect();
  try {
    const env = {
      ...stageEnv(stage.gateway),
      ...databaseEnv(connection),
    };
    const packageNames = [stage.app.packageName, other.packageName];
    const killed = await runKillRounds({
      rounds,
      client,
      env,
      packageNames,
      blockSize: 200,
      killedWithinMs: 300,
    });
    expect(killed.midstRounds).toBeGreaterThan(0);
    // Advances until the leases of the dead servers have expired.
    await client.query('update renewal_attempt set lease_until = 0 where outcome is null');
    await finishRenewals({ client, env });
    const audit = await auditSubscriptions(connection, stage.gateway.taken);
    expect(audit.problems).toEqual([]);
    expect(audit).toMatchObject({ subscriptions: killed.subscriptions, open: 0 });
    expect(audit.renewals).toBe(stage.gateway.taken.size);
    expect(audit.renewals).toBe(killed.subscriptions);
  } finally {
    await client.end();
  }
}, 120_000);
