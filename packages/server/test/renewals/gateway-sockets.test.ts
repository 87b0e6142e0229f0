// The HTTP gateway on a raw socket: whatever it returns, a charge ends in time, reads a limited amount, and has no outcome
// unless the response is valid.

import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, test } from 'vitest';
import { httpGateway } from '../../src/operations/subscriptions/gateways/http-gateway.ts';
import { type Charge, countedGateway } from '../../src/operations/subscriptions/gateways/payment-gateway.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { untilReusable } from '../reusable-connection.ts';
import { waitFor } from '../wait-for.ts';
import { answerText, type RawGateway, startRawGateway } from './raw-gateway.ts';
import { gatewaySecret, gatewaySecretText, startTestGateway } from './test-gateway.ts';

const raw = await startRawGateway();
afterAll(async () => {
  await raw[Symbol.asyncDispose]();
});

const timeoutMs = 400;

function gatewayAt(url: string, waitMs = timeoutMs) {
  return httpGateway({ url, secret: () => gatewaySecret }, { clock: systemClock, timeoutMs: waitMs });
}

const charge: Charge = {
  idempotencyKey: 'com.example.game/S-1/1/1',
  packageName: 'com.example.game',
  productId: 'monthly',
  firstPurchaseId: 'S-1',
  buyerId: 'ann',
  developerPayload: 'Grüße, 안녕 👋 "quoted"\\',
  periodIndex: 1,
  attempt: 1,
  price: 499,
  currency: 'EUR',
  startTime: Date.UTC(2026, 1, 28, 9),
};

const paid = '{"outcome":"paid"}';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
type Speak = Parameters<RawGateway['speak']>[0];

/** Continues until the other side closes the connection. */
function forever(text: string, { first }: { readonly first: string }): Speak {
  return (socket) => {
    socket.write(first);
    const goOn = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', goOn);
    goOn();
  };
}

const bomb = gzipSync(Buffer.from(paid.padEnd(10_000_000)));

const unclear: readonly (readonly [what: string, speak: Speak, reason: RegExp])[] = [
  ['says nothing', () => undefined, /^no answer within 400 ms$/],
  [
    'sends a head that never ends',
    forever(`x-more: ${'x'.repeat(4_096)}\r\n`, { first: 'HTTP/1.1 200 OK\r\n' }),
    /^Headers Overflow Error$/,
  ],
  [
    'sends a body that never ends, fast',
    forever(`4000\r\n${'x'.repeat(16_384)}\r\n`, { first: chunked }),
    /^an answer of more than 16384 bytes$/,
  ],
  [
    'begins to answer and falls silent',
    (socket) => socket.write(`${chunked}9\r\n{"outcome\r\n`),
    /^no answer within 400 ms$/,
  ],
  [
    'sends a small body that unpacks to a huge one',
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
    // The response is not decompressed, because the request does not allow compression.
    /not a JSON object/,
  ],
  [
    'speaks no HTTP',
    (socket) => socket.write('paid\r\n\r\n'),
    /^Response does not match the HTTP\/1.1 protocol/,
  ],
  ['hangs up', (socket) => socket.end(), /^connection lost$/],
  ['breaks off', (socket) => socket.resetAndDestroy(), /^connection lost$/],
  [
    'hangs up in the midst of the word',
    (socket) => socket.end(answerText(paid).slice(0, -4)),
    /^connection lost$/,
  ],
  [
    'wants to speak another protocol',
    (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: paid\r\n\r\n'),
    /^bad upgrade$/,
  ],
  [
    'is out of order',
    (socket) => socket.end(answerText(paid, { status: '503 Unavailable' })),
    /^status 503$/,
  ],
  [
    'answers with another word',
    (socket) => socket.end(answerText('{"outcome":"ok"}')),
    /without a known outcome/,
  ],
  ['answers with no JSON', (socket) => socket.end(answerText('paid')), /not a JSON object/],
  ['answers with null', (socket) => socket.end(answerText('null')), /not a JSON object/],
  [
    'answers to another key',
    (socket) => socket.end(answerText('{"outcome":"paid","idempotencyKey":"com.example.game/S-2/1/1"}')),
    /^an answer to another idempotencyKey$/,
  ],
];

describe('responses of the gateway', () => {
  test.each(unclear)(
    'a gateway that %s has no outcome, and the connection is closed',
    async (_what, speak, reason) => {
      raw.speak(speak);
      const begun = performance.now();
      const answer = await gatewayAt(raw.url).charge(charge);
      expect(answer).toEqual({ outcome: 'unknown', reason: expect.stringMatching(reason) });
      expect(performance.now() - begun).toBeLessThan(timeoutMs + 2_000);
      const socket = raw.sockets.at(-1);
      socket?.end();
      await waitFor(() => socket?.destroyed, { deadlineMs: 5_000, what: 'the end of the connection' });
      // The content of buffers on the way; no more is read, however much is sent.
      expect(socket?.bytesWritten).toBeLessThan(20_000_000);
    },
  );

  test('a gateway that refuses connections has no outcome, at once', async () => {
    const closed = await startRawGateway();
    await closed[Symbol.asyncDispose]();
    const answer = await gatewayAt(closed.url, 10_000).charge(charge);
    expect(answer).toEqual({ outcome: 'unknown', reason: 'ECONNREFUSED' });
  });

  test('a gateway whose name does not resolve has no outcome', async () => {
    const answer = await gatewayAt('http://gateway.invalid/charge', 10_000).charge(charge);
    expect(answer).toEqual({
      outcome: 'unknown',
      reason: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  test('a slow response within the timeout counts', async () => {
    raw.speak((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n');
      socket.write(answerText(paid, { headers: 'content-type: text/plain\r\n' }));
    });
    expect(await gatewayAt(raw.url).charge(charge)).toEqual({ outcome: 'paid' });
  });

  test('a response that repeats its idempotency key counts', async () => {
    const { idempotencyKey } = charge;
    raw.speak((socket) => socket.write(answerText(JSON.stringify({ idempotencyKey, outcome: 'declined' }))));
    expect(await gatewayAt(raw.url).charge(charge)).toEqual({ outcome: 'declined' });
  });

  test('a second response to one request is ignored', async () => {
    raw.speak((socket) => socket.write(answerText('{"outcome":"declined"}') + answerText(paid)));
    const gateway = gatewayAt(raw.url);
    expect(await gateway.charge(charge)).toEqual({ outcome: 'declined' });
    raw.speak((socket) => socket.write(answerText('{"outcome":"pending"}')));
    for (let nth = 2; nth < 6; nth += 1) {
      expect(await gateway.charge({ ...charge, idempotencyKey: `other/S-${nth}/1/1` })).toEqual({
        outcome: 'pending',
      });
    }
  });

  test('a charge is sent again if the gateway has closed the idle connection', async () => {
    const gateway = gatewayAt(raw.url);
    raw.speak((socket, nth) => {
      if (nth === 1) socket.write(answerText('{"outcome":"pending"}'));
      else socket.resetAndDestroy();
    });
    expect(await gateway.charge(charge)).toEqual({ outcome: 'pending' });
    await untilReusable();
    const before = raw.sockets.length;
    expect(await gateway.charge(charge)).toEqual({ outcome: 'pending' });
    expect(raw.sockets.length).toBe(before + 1);
  });

  test('a charge sent again to a silent gateway times out', async () => {
    const gateway = gatewayAt(raw.url);
    raw.speak((socket, nth) => {
      if (nth === 1) socket.write(answerText('{"outcome":"pending"}'));
      else socket.resetAndDestroy();
    });
    expect(await gateway.charge(charge)).toEqual({ outcome: 'pending' });
    await untilReusable();
    const kept = raw.sockets.at(-1);
    raw.speak((socket) => {
      if (socket === kept) socket.resetAndDestroy();
    });
    const answer = await gateway.charge(charge);
    expect(answer).toEqual({ outcome: 'unknown', reason: `no answer within ${timeoutMs} ms` });
  });

  test('a connection with excess bytes is not reused', async () => {
    raw.speak(forever(`4000\r\n${'x'.repeat(16_384)}\r\n`, { first: chunked }));
    expect(await gatewayAt(raw.url).charge(charge)).toMatchObject({ outcome: 'unknown' });
    const socket = raw.sockets.at(-1);
    await waitFor(() => socket?.destroyed, { deadlineMs: 5_000, what: 'the end of the connection' });
  });

  test('a charge whose response breaks off on a reused connection is not sent again', async () => {
    const gateway = gatewayAt(raw.url);
    raw.speak((socket, nth) => {
      if (nth === 1) socket.write(answerText('{"outcome":"pending"}'));
      else socket.write(`${chunked}9\r\n{"outcome\r\n`, () => socket.resetAndDestroy());
    });
    expect(await gateway.charge(charge)).toEqual({ outcome: 'pending' });
    await untilReusable();
    const before = raw.sockets.length;
    expect(await gateway.charge(charge)).toEqual({ outcome: 'unknown', reason: 'connection lost' });
    expect(raw.sockets.length).toBe(before);
  });

  test('a charge in flight when the server stops has no outcome', async () => {
    raw.speak(() => undefined);
    const stopping = new AbortController();
    const counted: string[] = [];
    const gateway = countedGateway(gatewayAt(raw.url, 10_000), (outcome) => counted.push(outcome));
    const answer = gateway.charge(charge, stopping.signal);
    await waitFor(() => raw.sockets.at(-1)?.bytesRead, { deadlineMs: 5_000, what: 'the request' });
    stopping.abort();
    expect(await answer).toEqual({ outcome: 'unknown', reason: 'aborted' });
    expect(counted).toEqual(['unknown']);
  });
});

test('a charge without a known buyer has no buyerId', async () => {
  await using gateway = await startTestGateway();
  await gatewayAt(gateway.url, 10_000).charge({ ...charge, buyerId: null });
  const { buyerId: _, ...others } = charge;
  expect(gateway.requests.map(({ body }) => JSON.parse(body))).toEqual([others]);
});

test('the Standard Webhooks library verifies a charge and each of its retries', async () => {
  await using gateway = await startTestGateway();
  for (let sent = 0; sent < 2; sent += 1) await gatewayAt(gateway.url, 10_000).charge(charge);
  const library = new Webhook(gatewaySecretText);
  expect(gateway.requests).toHaveLength(2);
  for (const { headers, body } of gateway.requests) {
    expect(headers['webhook-id']).toBe(charge.idempotencyKey);
    expect(library.verify(body, headers)).toEqual(charge);
    expect(() => library.verify(body.replace('499', '498'), headers)).toThrow('No matching signature');
    const other = { ...headers, 'webhook-id': 'com.example.game/S-1/1/2' };
    expect(() => library.verify(body, other)).toThrow('No matching signature');
  }
});
