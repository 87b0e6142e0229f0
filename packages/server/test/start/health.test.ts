// The health checks and the responses of a server while its database is available or not.

import { describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { call, createTestApp, startTestServer, testNow, useTestServer, whenAvailable } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';
import { goodCalls, recordGoodPurchases } from '../purchase-api/purchase-operations.ts';
import { formOf, postForm } from '../tokens/token-call.ts';

const server = await useTestServer();

describe('health', () => {
  test('/health/live and /health/ready return 200 without a key, only on the operator listener', async () => {
    for (const [path, text] of [
      ['/health/live', '{"status":"live"}'],
      ['/health/ready', '{"status":"ready"}'],
    ]) {
      const answer = await whenAvailable(() => call(server.operatorUrl + path));
      expect([answer.status, answer.text]).toEqual([200, text]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect((await call(server.publicUrl + path)).status).toBe(404);
    }
  });

  test('while the database is unavailable a server is alive, not ready, answers 503 with Retry-After, and recovers by itself', async () => {
    await using alone = await startTestServer();
    const ownApp = await createTestApp(alone);
    await recordGoodPurchases(alone, ownApp);
    const admit = async (isAllowed: boolean) => {
      const name = String(alone.connection.database);
      await query(server.connection, `alter database ${name} allow_connections ${isAllowed}`);
      await query(
        server.connection,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and ${!isAllowed}`,
      );
    };
    await admit(false);
    const ready = await call(`${alone.operatorUrl}/health/ready`);
    expect([ready.status, ready.text]).toEqual([503, '{"status":"not ready"}']);
    expect(ready.headers.get('retry-after')).toBe('1');
    expect((await call(`${alone.operatorUrl}/health/live`)).status).toBe(200);
    for (const { operation, path } of goodCalls) {
      const answer = await callPurchase(alone, operation, ownApp, { path });
      expectFailure(answer, 'unavailable');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    const token = await postForm(alone, formOf(ownApp));
    expectFailure(token, 'unavailable');
    await admit(true);
    expect((await call(`${alone.operatorUrl}/health/ready`)).status).toBe(200);
    for (const { operation, path } of goodCalls) {
      expect((await callPurchase(alone, operation, ownApp, { path })).status).toBe(200);
    }
    await alone.clock.set(testNow);
  });
});
