// Calls that say nothing of the length of a body, as `curl -X POST` makes them: they have none, and whoever reads
// bodies does not wait for one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../attack/raw-exchange.ts';
import {
  adminKey,
  createTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  type TestServer,
} from '../harness.ts';

let server: TestServer;
let app: TestApp;

beforeAll(async () => {
  server = await startTestServer();
  app = await createTestApp(server);
});
afterAll(() => server.stop());

interface BareCall {
  readonly line: string;
  readonly authorization?: string;
  readonly contentType?: string;
}

/** Status and body of the answer to a head that is sent as it stands. */
async function answerTo(host: string, { line, authorization, contentType }: BareCall) {
  const lines = [
    `${line} HTTP/1.1`,
    'Host: test',
    'Connection: close',
    ...(authorization === undefined ? [] : [`Authorization: Bearer ${authorization}`]),
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
  ];
  const { received, ended } = await exchange(host, {
    bytes: `${lines.join('\r\n')}\r\n\r\n`,
    cuts: [],
    end: 'half-close',
  });
  expect(ended).toBe('closed');
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

const json = 'application/json';

test('a purchase is consumed, once', async () => {
  const { purchaseId } = await recordTestPurchase(server, app);
  const line = `POST /v2/purchase/consume/${purchaseId}/${app.packageName}`;
  const call = { line, authorization: app.token, contentType: json };
  expect(await answerTo(server.publicUrl, call)).toMatchObject({ status: 200 });
  expect(await answerTo(server.publicUrl, call)).toMatchObject({
    status: 409,
    body: expect.stringContaining('9201'),
  });
});

test('a token is not given without the form that asks for it', async () => {
  const call = { line: 'POST /v2/oauth/token', contentType: 'application/x-www-form-urlencoded' };
  expect((await answerTo(server.publicUrl, call)).status).toBe(400);
});

test.each([
  ['POST', '/expel-tokens', undefined, 204],
  ['POST', '/expel-tokens', json, 204],
  ['POST', '/purchases', json, 400],
  ['PUT', '/products/coins', json, 400],
  ['PATCH', '', json, 400],
  ['DELETE', '/webhook', json, 404],
  ['DELETE', '/webhook', undefined, 404],
])(
  '%s …%s of the operator API, with Content-Type %s, is answered with %i',
  async (method, path, contentType, status) => {
    const line = `${method} /operator/v1/apps/${app.packageName}${path}`;
    const call = { line, authorization: adminKey, ...(contentType !== undefined && { contentType }) };
    expect((await answerTo(server.operatorUrl, call)).status).toBe(status);
  },
);
