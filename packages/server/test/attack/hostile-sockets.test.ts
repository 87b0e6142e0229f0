import { connect } from 'node:net';
import { errors } from '@opentill/contract/errors.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderError } from '../../src/http/error-response.ts';
import { answerWithinMs } from '../../src/http/listener/listener.ts';
import { parserError } from '../../src/http/listener/socket-failures.ts';
import {
  adminKey,
  callPurchaseApi,
  createTestApp,
  recordTestPurchase,
  type TestApp,
  useTestServer,
} from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { bytesOf, type RawAnswer, takeAnswers } from './pipelined-client.ts';
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

async function answersTo(
  bytes: string,
  { url = server.publicUrl, cuts = [] }: { readonly url?: string; readonly cuts?: readonly number[] } = {},
): Promise<RawAnswer[]> {
  const { received, ended } = await exchange(url, { bytes, cuts, end: 'half-close' });
  const [answers, rest] = takeAnswers(received.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', ''));
  expect([rest, ended]).toEqual(['', 'closed']);
  return answers;
}

async function statusesOf(...sent: Parameters<typeof answersTo>): Promise<number[]> {
  return (await answersTo(...sent)).map(({ status }) => status);
}

async function expectGoodCallWorks(): Promise<void> {
  const path = `/voided-purchases/${app.packageName}`;
  expect((await callPurchaseApi(server, { token: app.token, path })).status).toBe(200);
}

test('a client that closes its side after a request still gets the response', async () => {
  expect(await statusesOf(await consumeBytes())).toEqual([200]);
});

test('pipelined requests are answered in order, even if the last one is invalid HTTP', async () => {
  const consume = await consumeBytes();
  expect(await statusesOf(`${consume}${consume}${await consumeBytes()}`)).toEqual([200, 409, 200]);
  const garbage = 'what is this\r\n\r\n';
  // The client does not end its side, so that it can receive the response to the invalid bytes.
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.publicUrl).port) });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`${await consumeBytes()}${garbage}`);
  await closed;
  expect(takeAnswers(received)[0].map(({ status }) => status)).toEqual([200, 400]);
});

test('a request of HTTP/1.0 needs no Host header, and one of HTTP/1.1 does', async () => {
  const bytes = (version: string) => `GET /none HTTP/${version}\r\n\r\n`;
  expect(await statusesOf(bytes('1.0'))).toEqual([404]);
  expect(await statusesOf(bytes('1.1'))).toEqual([400]);
  const operator = { url: server.operatorUrl };
  expect(await statusesOf(bytes('1.0'), operator)).toEqual([404]);
  expect(await statusesOf(bytes('1.1'), operator)).toEqual([400]);
});

test('an idle connection stays open for longer than the 60 seconds of common proxies', async () => {
  const [answer] = await answersTo(bytesOf({ method: 'GET', path: '/none', headers: {} }));
  expect(answer?.headers).toMatch(/\r\nkeep-alive: timeout=72$/im);
});

test('a malformed path on the operator listener is rejected with problem details', async () => {
  const [answer] = await answersTo(bytesOf({ method: 'GET', path: '/%zz', headers: {} }), {
    url: server.operatorUrl,
  });
  expect(answer?.status).toBe(400);
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ type: errors.invalidRequest.type });
  expect(answer?.headers).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
  expect(answer?.headers).toContain('\r\ncache-control: no-store\r\n');
});

test('a request that arrives byte by byte is answered', async () => {
  const bytes = await consumeBytes();
  const cuts = Array.from(bytes, (_, index) => index);
  expect(await statusesOf(bytes, { cuts })).toEqual([200]);
});

describe('requests without Content-Length', () => {
  const json = 'application/json';
  let bare: TestApp;

  beforeAll(async () => {
    bare = await createTestApp(server, 'com.example.bare');
  });

  test('a consume without Content-Length succeeds once', async () => {
    const consume = await consumeBytes();
    expect(consume).not.toMatch(/content-length|transfer-encoding/i);
    expect(await statusesOf(consume)).toEqual([200]);
    const [again] = await answersTo(consume);
    expect(again?.status).toBe(409);
    expect(again?.body).toContain('9201');
  });

  test('a token request without a body is rejected with 400', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await statusesOf(bytesOf({ method: 'POST', path: '/v2/oauth/token', headers }))).toEqual([400]);
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
    'a bodyless %s …%s of the operator API with Content-Type %s is answered with %i',
    async (method, path, contentType, status) => {
      const call = {
        method,
        path: `/operator/v1/apps/${bare.packageName}${path}`,
        headers: {
          authorization: `Bearer ${adminKey}`,
          ...(contentType !== undefined && { 'content-type': contentType }),
        },
      };
      expect(await statusesOf(bytesOf(call), { url: server.operatorUrl })).toEqual([status]);
    },
  );
});

test('a request that takes longer to arrive than the response deadline is answered', async () => {
  const form = `client_id=${app.clientId}&client_secret=${app.clientSecret}&grant_type=client_credentials`;
  // One byte at a time with pauses, in total longer than answerWithinMs.
  const body = Buffer.from(`${form}&padding=${'x'.repeat(200 - form.length)}`);
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.publicUrl).port) });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const begun = performance.now();
  socket.write(
    `POST /v2/oauth/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  let sent = 0;
  await waitFor(
    () => {
      socket.write(body.subarray(sent, sent + 1));
      sent += 1;
      return sent >= body.length;
    },
    { deadlineMs: 20_000, what: 'all bytes sent' },
  );
  await waitFor(() => takeAnswers(received)[0].length > 0, { deadlineMs: 5_000, what: 'an answer' });
  expect(performance.now() - begun).toBeGreaterThan(answerWithinMs);
  expect(takeAnswers(received)[0].map(({ status }) => status)).toEqual([200]);
  socket.destroy();
});

test.each([
  'CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  'no HTTP\r\n\r\n',
])('a client that sends %j and disconnects does not affect the server', async (bytes) => {
  await Promise.all(
    Array.from({ length: 50 }, () => exchange(server.publicUrl, { bytes, cuts: [], end: 'abandon' })),
  );
  await expectGoodCallWorks();
});

test.each([
  [
    'a body cut short',
    `POST /v2/oauth/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n${'x'.repeat(65_535)}\r\nzz\r\n`,
  ],
  ['a tunnel', 'CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n'],
  ['an oversized header', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
])('the connection of a rejected client that never closes its side is closed: %s', async (_, bytes) => {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(server.publicUrl).port),
    allowHalfOpen: true,
  });
  let isClosed = false;
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(bytes);
  await waitFor(() => received.includes('"error":{'), { deadlineMs: 5_000, what: 'a refusal' });
  // The client keeps sending until it notices that the connection is closed.
  await waitFor(
    () => {
      socket.write('more');
      return isClosed;
    },
    { deadlineMs: 10_000, what: 'the end of the connection' },
  );
});

test.each([
  ['invalid HTTP', 'no HTTP\r\n\r\n', 'malformedRequest'],
  ['a tunnel', 'CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n', 'malformedRequest'],
  ['an oversized header', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'headerTooLarge'],
] as const)('%s is rejected by each listener in its own format', async (_, bytes, name) => {
  const sent = { bytes, cuts: [], end: 'half-close' } as const;
  const [[refused]] = takeAnswers((await exchange(server.publicUrl, sent)).received);
  const { code, type, title, status } = errors[name];
  expect(refused?.status).toBe(status);
  expect(refused?.headers).toContain('\r\ncontent-type: application/json;charset=utf-8\r\n');
  expect(refused?.body).toBe(JSON.stringify({ error: { code, message: title } }));
  const [[problem]] = takeAnswers((await exchange(server.operatorUrl, sent)).received);
  expect(problem?.status).toBe(status);
  expect(problem?.headers).toContain('\r\ncontent-type: application/problem+json;charset=utf-8\r\n');
  expect(problem?.body).toBe(JSON.stringify({ type, title, status, detail: title }));
});

test.each([
  ['of the public listener', 'purchase', 'application/json'],
  ['of the operator listener', 'operator', 'application/problem+json'],
] as const)('an incomplete request gets the timeout error %s', (_, listener, contentType) => {
  const timeOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const refusal = renderError(listener, parserError(timeOut));
  expect(refusal.status).toBe(408);
  expect(refusal.headers['content-type']).toBe(`${contentType};charset=utf-8`);
  const body = JSON.parse(refusal.body) as { error?: object; status?: number };
  expect([body.error === undefined, body.status]).toEqual(
    listener === 'operator' ? [true, 408] : [false, undefined],
  );
});
