// The path and the query of a call in the request log.

import { loggedPathMax } from '@opentill/contract/logged-request.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { expect, test } from 'vitest';
import { newTestApp, recordTestPurchase, type TestApp, useTestServer } from '../harness.ts';
import { callPurchase } from '../purchase-api/purchase-call.ts';
import { sendRequest } from '../purchase-api/sent-request.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import { loggedRequests } from './sandbox-stage.ts';

const server = await useTestServer();

const newApp = () => newTestApp(server);

const details = (app: TestApp, purchaseId = 'P-1') =>
  callPurchase(server, getPurchaseDetails, app, { path: { purchaseId } });

test('a logged path shows the parameters of the operation, including a continuationKey, and no others', async () => {
  const app = await newApp();
  for (const purchaseId of ['V-1', 'V-2']) {
    await recordTestPurchase(server, app, { purchaseId });
    await voidTestPurchase(server, app, purchaseId);
  }
  const first = await callPurchase(server, getVoidedPurchases, app, { query: '?maxResults=1' });
  const query = `?maxResults=1&continuationKey=${first.body.continuationKey}`;
  const next = await callPurchase(server, getVoidedPurchases, app, { query: `${query}&note=mine` });
  expect(next.status).toBe(200);
  const [logged] = await loggedRequests(server, app, 1);
  expect(logged?.path).toBe(`/v2/purchase/voided-purchases/${app.packageName}${query}`);
});

test('a long path is shortened in the request log', async () => {
  const app = await newApp();
  await details(app, `P${'%41'.repeat(1_000)}`);
  const [logged] = await loggedRequests(server, app, 1);
  expect(logged?.path).toHaveLength(loggedPathMax);
});

test.each(['continuationKey', 'startTime', 'endTime', 'maxResults'])(
  'a %s that no database stores affects the log entries of neither its own call nor others',
  async (name) => {
    const [app, other] = [await newApp(), await newApp()];
    const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' };
    const path = `/v2/purchase/voided-purchases/${app.packageName}?${name}=%00`;
    expect((await sendRequest(server.publicUrl, { method: 'GET', path, headers })).status).toBe(400);
    await details(other);
    expect((await loggedRequests(server, app))[0]).toMatchObject({
      path: expect.stringContaining(`${name}=\ufffd`),
    });
    expect((await loggedRequests(server, other))[0]).toMatchObject({ operationId: 'getPurchaseDetails' });
  },
);
