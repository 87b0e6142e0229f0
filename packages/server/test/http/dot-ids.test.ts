// Ids of one or two dots, which clients and proxies remove from the path of a URL.

import { expect, test } from 'vitest';
import { adminKey, createTestApp, operate, useTestServer } from '../harness.ts';
import { expectFailure } from '../purchase-api/purchase-call.ts';
import { sendRequest } from '../purchase-api/sent-request.ts';

const server = await useTestServer();
const app = await createTestApp(server);

const send = (url: string, method: string, path: string, bearer: string, body?: object) =>
  sendRequest(url, {
    method,
    path,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test.each(['.', '..'])('no operation stores the id %s', async (id) => {
  const message = `expected only A-Z a-z 0-9 . _ -, and neither "." nor "..", got "${id}"`;
  const purchase = { productId: 'coins', purchaseId: id };
  const answers = {
    packageName: await operate(server, 'POST', '/apps', { body: { packageName: id } }),
    purchaseId: await operate(server, 'POST', `/apps/${app.packageName}/purchases`, { body: purchase }),
  };
  for (const [field, answer] of Object.entries(answers)) {
    expect([answer.status, answer.body.detail]).toEqual([400, `/${field}: ${message}.`]);
  }
  const inSandbox = await send(server.publicUrl, 'POST', '/sandbox/v1/purchases', app.token, purchase);
  expect([inSandbox.status, inSandbox.body.detail]).toEqual([400, `/purchaseId: ${message}.`]);
  const product = { type: 'one_time', price: 1, currency: 'EUR' };
  for (const segment of [id, id.replaceAll('.', '%2E')]) {
    const path = `/operator/v1/apps/${app.packageName}/products/${segment}`;
    expect((await send(server.operatorUrl, 'PUT', path, adminKey, product)).status).toBe(404);
    const ofSandbox = `/sandbox/v1/products/${segment}`;
    expect((await send(server.publicUrl, 'PUT', ofSandbox, app.token, product)).status).toBe(404);
    const details = `/v2/purchase/details/${segment}/${app.packageName}`;
    expectFailure(await send(server.publicUrl, 'GET', details, app.token), 'notFound');
  }
});
