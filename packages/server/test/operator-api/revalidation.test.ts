// Reads that are repeated with the entity tag of the latest response.

import { expect, test } from 'vitest';
import { adminKey, newTestApp, operatorOf, recordTestPurchase, useTestServer } from '../harness.ts';

const server = await useTestServer();

test('a read that names the latest response gets no body until the response changes', async () => {
  const { packageName } = await newTestApp(server);
  const read = (tag?: string) =>
    fetch(`${server.operatorUrl}/operator/v1/purchases?packageName=${packageName}`, {
      headers: { authorization: `Bearer ${adminKey}`, ...(tag !== undefined && { 'if-none-match': tag }) },
    });
  const first = await read();
  const tag = first.headers.get('etag') ?? '';
  expect(await first.json()).toEqual({ purchases: [] });
  const same = await read(tag);
  expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', tag]);
  await recordTestPurchase(server, { packageName });
  const changed = await read(tag);
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(tag);
  expect(await operatorOf(server).listPurchases({ packageName })).toEqual(await changed.json());
});
