// Paths and methods of the purchase API: unknown ones, HEAD, and operations with missing or empty values.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { describe, expect, test } from 'vitest';
import { createTestApp, useTestServer } from '../../../../test/support/harness.ts';
import {
  expectCommon,
  expectFailure,
  goodHeaders,
  pathOf,
} from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import { type GoodCall, goodCalls, recordGoodPurchases } from './purchase-operations.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

const send = (method: string, path: string, headers: Record<string, string> = goodHeaders(app)) =>
  sendRequest(server.publicUrl, { method, path, headers });

const goodPath = ({ operation, path }: GoodCall) =>
  pathOf(operation, { packageName: app.packageName, ...path });

describe.each(goodCalls)('$operationId', (call) => {
  const { operation } = call;
  const otherMethods = ['GET', 'POST', 'OPTIONS', 'PROPFIND'].filter((method) => method !== operation.method);

  test.each(otherMethods)(
    '$operationId returns 405 with Allow for %s, with a token or without',
    async (method) => {
      for (const headers of [goodHeaders(app), {}]) {
        const response = await send(method, goodPath(call), headers);
        expectFailure(response, 'methodNotAllowed');
        expect(response.headers.get('allow')).toBe(
          operation.method === 'GET' ? 'GET, HEAD' : operation.method,
        );
      }
    },
  );

  test('$operationId returns 9000 for a path that ends before its values, with a trailing slash or without', async () => {
    const segments = pathOf(operation, { packageName: app.packageName, ...call.path }).split('/');
    const valueCount = Object.keys(operation.pathParameters).length;
    for (let missing = 1; missing <= valueCount; missing += 1) {
      const path = segments.slice(0, segments.length - missing).join('/');
      for (const short of [path, `${path}/`]) {
        const response = await send(operation.method, short);
        expectCommon(response);
        expect([short, response.status, response.body.error.code]).toEqual([short, 400, 9000]);
      }
    }
  });

  test.each(Object.keys(operation.pathParameters))(
    '$operationId returns 9000 for an empty %s',
    async (name) => {
      const path = pathOf(operation, { packageName: app.packageName, ...call.path, [name]: '' });
      const response = await send(operation.method, path);
      expectFailure(response, 'invalidRequest', name);
    },
  );

  test.each(['%zz', '%', '%ff', '%ed%a0%80'])(
    '$operationId returns 9000 for a value with invalid percent-encoding: %s',
    async (malformed) => {
      const path = goodPath(call).replace(app.packageName, malformed);
      const response = await send(operation.method, path);
      expectFailure(response, 'invalidRequest', 'path');
    },
  );
});

describe.each(goodCalls.filter(({ operation }) => operation.method === 'GET'))(
  'HEAD of $operationId',
  (call) => {
    test('HEAD of $operationId has the status and the headers of GET and no body', async () => {
      const [get, head] = [await send('GET', goodPath(call)), await send('HEAD', goodPath(call))];
      expect([head.status, head.text]).toEqual([200, '']);
      expectCommon(head);
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    });
  },
);

test.each(['GET', 'OPTIONS'])('the token endpoint returns 405 for %s', async (method) => {
  const response = await send(method, `${getAccessToken.path}?grant_type=client_credentials`, {});
  expectFailure(response, 'methodNotAllowed');
  expect(response.headers.get('allow')).toBe('POST');
});

test.each([
  '/v2',
  '/v2/purchase/',
  '/v2/purchase/none/P-1/com.example.game',
  '/v2/purchase/Details/P-1/com.example.game',
  '//v2/purchase/details/P-1/com.example.game',
  '/v2/purchase/../purchase/details/P-1/com.example.game',
  '/v2/oauth/token/',
  '/operator/v1/apps',
  `/${'x'.repeat(8_000)}`,
])('an unknown path returns 404 and 9999: %s', async (path) => {
  for (const [method, headers] of [
    ['GET', goodHeaders(app)],
    ['POST', {}],
  ] as const) {
    expectFailure(await send(method, path, { ...headers }), 'unknownPath');
  }
});

test('a path of another version names the version of this server, also without a token', async () => {
  for (const path of ['/v6/purchase/details/P-1/com.example.game', '/v7', '/v1/oauth/token']) {
    const { status, body } = await send('GET', path, {});
    expect([status, body.error], path).toEqual([
      404,
      { code: 9999, message: 'This server has version /v2.' },
    ]);
  }
  expect((await send('GET', '/v2x', {})).body.error.message).not.toContain('/v2');
});

test('every response has its own request id, whatever the client sends', async () => {
  const headers = { 'x-request-id': 'of-the-caller', 'request-id': 'of-the-caller' };
  const response = await send('GET', '/none', headers);
  expect(response.headers.get('x-request-id')).not.toBe('of-the-caller');
  const responses = await Promise.all(Array.from({ length: 50 }, () => send('GET', '/none')));
  expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50);
});
