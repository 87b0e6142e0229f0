// The HTTP gateway: the requests of charges, and the outcome of each response (test/runtime/outgoing-http.test.ts).

import { expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { gatewaySecret } from '../../../../test/support/renewals/test-gateway.ts';
import { type RawServer, responseText, startRawServer } from '../../../../test/support/runtime/raw-server.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { httpGateway } from '../../src/charging/gateways/http-gateway.ts';
import { type ChargeRequest, countedGateway } from '../../src/charging/gateways/payment-gateway.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { timedOut } from '../reusable-connection.ts';

const raw = await useForFile(startRawServer());

/** On a busy machine, a response takes only a part of it. */
const timeoutMs = 60_000;

/** Without a connection that an earlier charge has left. */
const newGateway = () =>
  httpGateway({ url: raw.url, secret: gatewaySecret }, { clock: systemClock, timeoutMs });

const charge: ChargeRequest = {
  idempotencyKey: 'com.example.game/S-1/1/1',
  packageName: 'com.example.game',
  productId: 'monthly',
  firstPurchaseId: 'S-1',
  buyerId: 'ann',
  developerPayload: 'Grüße, 안녕 👋 "quoted"\\',
  period: 'P1M',
  periodIndex: 1,
  attempt: 1,
  price: 499,
  currency: 'EUR',
  startTime: Date.UTC(2026, 1, 28, 9),
};

const paid = '{"outcome":"paid"}';
type Speak = Parameters<RawServer['speak']>[0];
const answering =
  (body: string, more?: { readonly status?: string; readonly headers?: string }): Speak =>
  (socket) =>
    socket.write(responseText(body, more));

test.each<[what: string, speak: Speak, reason: RegExp, status?: number]>([
  ['hangs up', (socket) => socket.end(), /^connection lost$/],
  ['answers with too much', answering(paid.padEnd(16_385)), /^an answer of more than 16384 bytes$/, 200],
  ['answers with another status', answering(paid, { status: '503 Unavailable' }), /^status 503$/, 503],
  [
    'answers with another outcome',
    answering('{"outcome":"declined_final"}'),
    /^outcome: expected paid, declined, declinedFinal or pending, got "declined_final"$/,
    200,
  ],
  ['answers without JSON', answering('paid'), /not a JSON object/, 200],
  ['answers with null', answering('null'), /not a JSON object/, 200],
  [
    'answers to another key',
    answering('{"outcome":"paid","idempotencyKey":"com.example.game/S-2/1/1"}'),
    /^an answer to another idempotencyKey$/,
    200,
  ],
])('the outcome of a charge is unknown if the gateway %s', async (_what, speak, reason, status) => {
  raw.speak(speak);
  const answer = await newGateway().charge(charge);
  expect(answer).toEqual({ outcome: 'unknown', status, reason: expect.stringMatching(reason) });
});

test('the outcome of a charge is unknown if the gateway has not answered in time', async () => {
  raw.speak(() => undefined);
  const before = raw.sockets.length;
  const hasArrived = () => (raw.sockets[before]?.bytesRead ?? 0) > 0;
  const answer = await timedOut(() => newGateway().charge(charge), { withinMs: timeoutMs, hasArrived });
  expect(answer).toEqual({ outcome: 'unknown', reason: 'no answer within 60000 ms' });
});

test('a response counts whatever its content type, with or without the idempotency key and a byte order mark', async () => {
  const { idempotencyKey } = charge;
  raw.speak(answering(paid, { headers: 'content-type: text/plain\r\n' }));
  expect(await newGateway().charge(charge)).toEqual({ outcome: 'paid' });
  raw.speak(answering(JSON.stringify({ idempotencyKey, outcome: 'declined' })));
  expect(await newGateway().charge(charge)).toEqual({ outcome: 'declined' });
  raw.speak(answering('\ufeff{"idempotencyKey":null,"outcome":"pending"}'));
  expect(await newGateway().charge(charge)).toEqual({ outcome: 'pending' });
});

test('a charge in flight when the server stops has no outcome', async () => {
  raw.speak(() => undefined);
  const before = raw.sockets.length;
  const stopping = new AbortController();
  const counted: string[] = [];
  const gateway = countedGateway(newGateway(), (outcome) => counted.push(outcome));
  const answer = gateway.charge(charge, stopping.signal);
  await waitFor(() => raw.sockets[before]?.bytesRead, { what: 'the request' });
  stopping.abort();
  expect(await answer).toEqual({ outcome: 'unknown', reason: 'aborted' });
  expect(counted).toEqual(['unknown']);
});
