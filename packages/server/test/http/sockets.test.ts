// What clients send on raw sockets, valid HTTP or not.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { errors } from '@opentill/contract/errors.ts';
import { expect, test } from 'vitest';
import {
  adminKey,
  createTestApp,
  newTestApp,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { bytesOf, type RawResponse, takeResponses } from './pipelined-client.ts';
import { exchange } from './raw-exchange.ts';

const server = await useTestServer();
const app = await createTestApp(server);

async function consumeBytes(): Promise<string> {
  const { purchaseId } = await recordTestPurchase(server, app);
  return bytesOf({
    method: 'POST',
    path: `/v2/purchase/consume/${purchaseId}/${app.packageName}`,
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
  });
}

/** The responses to a client that ends its side after its requests. */
async function responsesTo(bytes: string, url = server.publicUrl): Promise<RawResponse[]> {
  const { received, ended } = await exchange(url, { bytes, cuts: [], end: 'half-close' });
  const [responses, rest] = takeResponses(received);
  expect([rest, ended]).toEqual(['', 'closed']);
  return responses;
}

async function statusesOf(...sent: Parameters<typeof responsesTo>): Promise<number[]> {
  return (await responsesTo(...sent)).map(({ status }) => status);
}

test('pipelined requests get their responses in order, even if the last one is invalid HTTP', async () => {
  const consume = await consumeBytes();
  expect(consume).not.toMatch(/content-length|transfer-encoding/i);
  expect(await statusesOf(`${consume}${consume}${await consumeBytes()}`)).toEqual([200, 409, 200]);
  // The client does not end its side, so that it can receive the response to the invalid bytes.
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.publicUrl).port) });
  socket.write(`${await consumeBytes()}what is this\r\n\r\n`);
  const [responses] = takeResponses(await text(socket));
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
});

test.each([
  ['POST', '/expel-tokens', undefined, 204],
  ['POST', '/purchases', 'application/json', 400],
  ['DELETE', '/webhook', 'application/json', 404],
])(
  'a %s …%s of the operator API without Content-Length and with Content-Type %s gets %i',
  async (method, path, contentType, status) => {
    const bare = await newTestApp(server);
    const headers = {
      authorization: `Bearer ${adminKey}`,
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
    const bytes = bytesOf({ method, path: `/operator/v1/apps/${bare.packageName}${path}`, headers });
    expect(await statusesOf(bytes, server.operatorUrl)).toEqual([status]);
  },
);

test('the connection of a rejected client that never closes its side is closed', async () => {
  const { port } = new URL(server.publicUrl);
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write('CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n');
  const [response] = await once(socket, 'data');
  expect(String(response)).toContain('"error":{');
  // The client keeps sending until it notices that the connection is closed.
  await waitFor(
    () => {
      socket.write('more');
      return socket.closed;
    },
    { what: 'the end of the connection' },
  );
});

test.each([
  ['invalid HTTP', 'no HTTP\r\n\r\n', 'malformedRequest'],
  ['a tunnel', 'CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n', 'malformedRequest'],
  ['a malformed path', 'GET /%zz HTTP/1.1\r\nhost: a\r\n\r\n', 'invalidRequest'],
  ['an oversized header', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'headerTooLarge'],
] as const)('%s is rejected by each listener in its own format', async (_, bytes, name) => {
  const { code, type, title, status } = errors[name];
  const detail = name === 'invalidRequest' ? 'path: expected percent-encoded UTF-8, got "/%zz".' : title;
  for (const [url, form, body] of [
    [server.publicUrl, 'json', { error: { code, message: detail } }],
    [server.operatorUrl, 'problem+json', { type, title, status, detail }],
  ] as const) {
    const [response] = await responsesTo(bytes, url);
    expect([response?.status, response?.body]).toEqual([status, JSON.stringify(body)]);
    expect(response?.headers).toContain(`\r\ncontent-type: application/${form};charset=utf-8\r\n`);
    expect(response?.headers).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(response?.headers).toContain('\r\ncache-control: no-store');
  }
});
