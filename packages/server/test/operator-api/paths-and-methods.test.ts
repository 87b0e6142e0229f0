// Paths and methods that the operator API does not have.

import { expect, test } from 'vitest';
import { adminKey, call, useTestServer } from '../harness.ts';

const server = await useTestServer();

test('a known path with another method returns 405 with Allow, and an unknown path 404', async () => {
  const headers = { authorization: `Bearer ${adminKey}` };
  for (const query of ['', '?pageSize=1']) {
    const url = `${server.operatorUrl}/operator/v1/apps${query}`;
    const wrongMethod = await call(url, { method: 'DELETE', headers });
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect(wrongMethod.body.type).toBe('/docs/problems#method-not-allowed');
  }
  const unknown = await call(`${server.operatorUrl}/operator/v1/nothing`, { headers });
  expect(unknown.status).toBe(404);
  expect(unknown.body.type).toBe('/docs/problems#unknown-path');
});
