import { expect, test } from 'vitest';
import { call, operate, testNow, useTestServer } from '../harness.ts';

const server = await useTestServer({ env: { OPENTILL_BEHIND_TLS_PROXY: 'true' } });

test('ten wrong operator keys per minute and address get 401 and further ones 429, but a valid key is never rejected', async () => {
  const guess = (address: string) =>
    call(`${server.operatorUrl}/operator/v1/apps`, {
      headers: { authorization: 'Bearer a-guessed-operator-key', 'x-forwarded-for': address },
    });
  for (let count = 1; count <= 10; count += 1) expect((await guess('192.0.2.1')).status).toBe(401);
  const rejected = await guess('192.0.2.1');
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get('retry-after')).toBe('60');
  expect(rejected.body.type).toBe('/docs/problems#too-many-requests');
  expect((await operate(server, 'GET', '/apps')).status).toBe(200);
  // A call without a key is not a guess, and other addresses are counted separately.
  const keyless = { headers: { 'x-forwarded-for': '192.0.2.1' } };
  expect((await call(`${server.operatorUrl}/operator/v1/apps`, keyless)).status).toBe(401);
  expect((await guess('192.0.2.2')).status).toBe(401);
  await server.clock.set(testNow + 60_000);
  expect((await guess('192.0.2.1')).status).toBe(401);
  const metrics = await call(`${server.operatorUrl}/metrics`);
  expect(metrics.text).toContain('\nopentill_wrong_operator_keys_total 13\n');
});
