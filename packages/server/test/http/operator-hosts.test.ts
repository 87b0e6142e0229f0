// Which Host headers the operator listener accepts, so that a web page cannot reach it through a name of its own; and its
// health checks.

import { expect, test } from 'vitest';
import { call, useTestServer } from '../../../../test/support/harness.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';

const server = await useTestServer({ env: { OPENTILL_OPERATOR_HOSTS: 'till.internal, Ops.Store.Example' } });

async function statusOf(path: string, host: string): Promise<number> {
  return (await sendRequest(server.operatorUrl, { method: 'GET', path, headers: { host } })).status;
}

test.each([
  ['127.0.0.1:8081', 200],
  ['[::1]:8081', 200],
  ['LOCALHOST.', 200],
  ['ops.store.example:8081', 200],
  ['till.internal.attacker.example', 421],
  ['attacker.example:8081', 421],
  ['127.0.0.1.attacker.example', 421],
])('the operator listener responds to Host %j with status %i', async (host, status) => {
  expect(await statusOf('/docs/json', host)).toBe(status);
  expect(await statusOf('/operator/v1/apps', host)).toBe(status === 200 ? 401 : status);
  expect(await statusOf('/health/live', host)).toBe(200);
});

test('/health/live and /health/ready return 200 without a key, only on the operator listener', async () => {
  for (const [path, text] of [
    ['/health/live', '{"status":"live"}'],
    ['/health/ready', '{"status":"ready"}'],
  ]) {
    const response = await call(server.operatorUrl + path);
    expect([response.status, response.text]).toEqual([200, text]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await call(server.publicUrl + path)).status).toBe(404);
  }
});
