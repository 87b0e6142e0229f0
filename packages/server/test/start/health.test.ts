// The health checks and the responses of a server while its database is available or not.

import { describe, expect, test } from 'vitest';
import { call, useTestServer, whenAvailable } from '../harness.ts';

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
});
