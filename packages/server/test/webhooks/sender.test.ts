// One attempt of a delivery: its request, and the outcome of each end (test/runtime/outgoing-http.test.ts).

import { afterAll, describe, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { testCertificate } from '../../../../test/support/start/test-certificate.ts';
import {
  dripping,
  type Reaction,
  resetting,
  responding,
  silent,
  startTestReceiver,
} from '../../../../test/support/webhooks/test-receiver.ts';
import type { WebhookRules } from '../../src/domain/webhooks/webhook-address.ts';
import { isDelivered, type SendOutcome, webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { timedOut } from '../reusable-connection.ts';

const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };
/** On a busy machine, a response takes only a part of it. */
const timeoutMs = 60_000;

const sender = webhookSender(ownMachine, { timeoutMs });

const receiver = await useForFile(startTestReceiver());
afterAll(async () => {
  sender.close();
});

function post(url = receiver.url, by = sender): Promise<SendOutcome | undefined> {
  return by.send({ url: new URL(url), body: '{"type":"test"}', headers: { 'webhook-id': 'evt_1' } });
}

/** The outcome of an attempt that reuses no connection of an earlier one. */
async function outcomeOf(reaction: Reaction): Promise<SendOutcome | undefined> {
  receiver.react(() => reaction);
  const own = webhookSender(ownMachine, { timeoutMs });
  const attempt = () => post(receiver.url, own);
  const before = receiver.received.length;
  const hasArrived = () => receiver.received.length > before;
  const isEndless = reaction === silent || reaction === dripping;
  const outcome = isEndless ? timedOut(attempt, { withinMs: timeoutMs, hasArrived }) : attempt();
  return await outcome.finally(own.close);
}

test('an attempt is a POST of JSON with the given headers', async () => {
  receiver.react(() => responding(200, 'thanks'));
  const outcome = await post(`${receiver.url}?key=1`);
  expect(outcome).toEqual({
    latencyMs: expect.any(Number),
    httpStatus: 200,
    location: undefined,
    failure: undefined,
    response: 'thanks',
    isResponseCut: false,
  });
  expect(outcome?.latencyMs).toBeGreaterThan(0);
  expect(receiver.received.at(-1)).toMatchObject({
    path: '/hooks?key=1',
    text: '{"type":"test"}',
    headers: {
      'content-type': 'application/json',
      'content-length': '15',
      'user-agent': expect.stringMatching(/^OpenTill\//),
      'webhook-id': 'evt_1',
    },
  });
});

describe('responses', () => {
  test.each([
    [301, 'https://www.store.example/hooks', 'https://www.store.example/hooks'],
    [308, '/hooks/', `${new URL(receiver.url).origin}/hooks/`],
    [302, `/${'x'.repeat(600)}`, `${new URL(receiver.url).origin}/${'x'.repeat(600)}`.slice(0, 512)],
    [200, '/created', undefined],
  ])(
    'a response %i with a location is reported with the absolute address of a redirect',
    async (status, sent, location) => {
      expect(await outcomeOf(responding(status, '', { location: sent }))).toMatchObject({
        httpStatus: status,
        location,
        failure: undefined,
      });
    },
  );

  test.each([
    [1_024, 1_024, false],
    [1_025, 1_024, true],
    [60_000, 1_024, true],
    [1_000_000, 1_024, true],
  ])('a response of %i bytes is stored up to %i', async (bytes, kept, isCut) => {
    const outcome = await outcomeOf(responding(200, 'x'.repeat(bytes)));
    expect(outcome).toMatchObject({ httpStatus: 200, failure: undefined, isResponseCut: isCut });
    expect(outcome?.response).toBe('x'.repeat(kept));
  });

  test('a stored response is valid text that is not cut within a character', async () => {
    expect((await outcomeOf(responding(200, 'é'.repeat(600))))?.response).toBe('é'.repeat(512));
    expect((await outcomeOf(responding(200, `x${'é'.repeat(600)}`)))?.response).toBe(`x${'é'.repeat(511)}`);
    expect((await outcomeOf(responding(200, Buffer.from([0x61, 0, 0xff, 0x62]))))?.response).toBe(
      'a\ufffd\ufffdb',
    );
  });
});

describe('failures', () => {
  const invalid: Reaction = (response) => void response.socket?.end('220 mail.example ESMTP\r\n');
  const cut: Reaction = (response) => {
    response
      .writeHead(200, { 'content-length': '10' })
      .write('half', () => response.socket?.resetAndDestroy());
  };

  test.each<[failure: string, reaction: Reaction, httpStatus: number | undefined]>([
    ['timedOut', silent, undefined],
    ['timedOut', dripping, 200],
    ['connectionLost', resetting, undefined],
    ['connectionLost', cut, 200],
    ['malformedResponse', invalid, undefined],
  ])('an attempt fails with %s, and a status counts as received', async (failure, reaction, httpStatus) => {
    const outcome = await outcomeOf(reaction);
    expect(outcome).toMatchObject({ httpStatus, failure });
    expect(outcome && isDelivered(outcome)).toBe(false);
  });

  test('an attempt on a closed port fails with connectionRefused', async () => {
    const closed = await startTestReceiver();
    await closed[Symbol.asyncDispose]();
    expect(await post(closed.url)).toMatchObject({ httpStatus: undefined, failure: 'connectionRefused' });
  });

  test('an attempt to a receiver whose certificate is not trusted, or without TLS, fails with tlsFailed', async () => {
    await using secure = await startTestReceiver({ tls: true });
    const patient = webhookSender(ownMachine);
    const trusting = webhookSender(ownMachine, { certificateAuthorities: testCertificate.cert });
    expect(await post(secure.url, trusting)).toMatchObject({ httpStatus: 204 });
    expect(await post(secure.url, patient)).toMatchObject({
      failure: 'tlsFailed',
      failureCode: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(await post(receiver.url.replace('http:', 'https:'), patient)).toMatchObject({
      failure: 'tlsFailed',
    });
    expect(secure.received).toHaveLength(1);
    for (const sender of [patient, trusting]) sender.close();
  });
});
