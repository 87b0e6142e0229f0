// The hints of the request log, each triggered by one call, and none for valid calls.

import { expect, test } from 'vitest';
import { createTestApp, useTestServer } from '../../../../test/support/harness.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import { goodCalls, recordGoodPurchases } from '../http/purchase-operations.ts';
import { formContentType, formOf } from '../tokens/token-call.ts';
import { loggedRequests } from './sandbox-stage.ts';

const server = await useTestServer({ env: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

function postToken(query: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const sent = { ...headers, ...(body !== '' && { 'content-type': formContentType }) };
  return sendRequest(server.publicUrl, {
    method: 'POST',
    path: `/v2/oauth/token${query}`,
    headers: sent,
    body,
  });
}

test('valid calls get no hint', async () => {
  for (const { operation, path } of goodCalls) await callPurchase(server, operation, app, { path });
  const logged = await loggedRequests(server, app);
  expect(logged).toHaveLength(1 + goodCalls.length);
  expect(logged.flatMap((request) => request.hints)).toEqual([]);
});

test.each([
  ['a form', 'grant_type=client_credentials'],
  ['nothing', ''],
])(
  'credentials in the URL or in a Basic header have a hint if the body is %s, and no secret is stored',
  async (_body, form) => {
    for (const clientSecret of ['s3', 'a&client_id=s3+&startTime=s3', app.clientSecret]) {
      const query = `?${new URLSearchParams(formOf({ ...app, clientSecret }))}`;
      const basic = Buffer.from(`${app.clientId}:${clientSecret}`).toString('base64');
      expect((await postToken(query, form)).status).toBe(400);
      expect((await postToken('', form, { authorization: `Basic ${basic}` })).status).toBe(400);
      const [inHeader, inQuery] = await loggedRequests(server, app, 2);
      expect(inHeader).toMatchObject({ hints: [{ hint: 'credentialsInHeader' }], path: '/v2/oauth/token' });
      expect(inQuery).toMatchObject({
        hints: [{ hint: 'credentialsInQuery' }],
        path: '/v2/oauth/token?client_id=***&client_secret=***',
      });
      expect(JSON.stringify([inHeader, inQuery])).not.toContain(clientSecret);
    }
  },
);

test('a body that a consume ignores has a hint, and the {} of many HTTP libraries has none', async () => {
  const path = `/v2/purchase/consume/P-none/${app.packageName}`;
  const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' };
  for (const body of ['{}', '{"developerPayload":"order-1"}'])
    expect((await sendRequest(server.publicUrl, { method: 'POST', path, headers, body })).status).toBe(409);
  const [withValue, empty] = await loggedRequests(server, app, 2);
  expect(withValue?.hints.map(({ hint }) => hint)).toEqual(['bodyIgnored', 'notCompleted']);
  expect(empty?.hints.map(({ hint }) => hint)).toEqual(['notCompleted']);
});
