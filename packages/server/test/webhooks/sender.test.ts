import { createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import type { WebhookRules } from '../../src/domain/webhooks/webhook-address.ts';
import { type SendOutcome, webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { useForFile } from '../harness.ts';
import { listenOnLoopback } from '../loopback.ts';
import { untilReusable } from '../reusable-connection.ts';
import { testCertificate } from '../start/test-certificate.ts';
import { waitFor } from '../wait-for.ts';
import { answering, dripping, type Reaction, resetting, silent, startTestReceiver } from './test-receiver.ts';

const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };
/** The time that a silent receiver costs a test. */
const timeoutMs = 300;

const sender = webhookSender(ownMachine, { timeoutMs });

const receiver = await useForFile(startTestReceiver());
afterAll(async () => {
  sender.close();
});

function post(url = receiver.url, by = sender): Promise<SendOutcome | undefined> {
  return by.send({ url: new URL(url), body: '{"type":"test"}', headers: { 'webhook-id': 'evt_1' } });
}

async function outcomeOf(reaction: Reaction): Promise<SendOutcome | undefined> {
  receiver.react(() => reaction);
  return post();
}

interface RawReceiver extends AsyncDisposable {
  readonly url: string;
  /** Some may have been closed by the sender. */
  readonly sockets: readonly Socket[];
}

/** Runs `speak` on each connection as soon as it has received data. */
async function rawReceiver(answer: (socket: Socket) => void): Promise<RawReceiver> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/`, sockets, [Symbol.asyncDispose]: close };
}

const untilClosed = ({ sockets }: RawReceiver) =>
  waitFor(() => sockets.length === 1 && sockets[0]?.closed, {
    deadlineMs: 2_000,
    what: 'a closed connection',
  });

test('an attempt is a POST of JSON with the given headers', async () => {
  receiver.react(() => answering(200, 'thanks'));
  const outcome = await post(`${receiver.url}?key=1`);
  expect(outcome).toEqual({
    latencyMs: expect.any(Number),
    httpStatus: 200,
    failure: undefined,
    answer: 'thanks',
    isAnswerCut: false,
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
  test.each([200, 204, 299, 300, 301, 307, 400, 410, 429, 500, 503])(
    'a response with status %i is reported with that status',
    async (status) => {
      expect(await outcomeOf(answering(status))).toMatchObject({ httpStatus: status, failure: undefined });
    },
  );

  test('a redirect is not followed', async () => {
    const before = receiver.received.length;
    await outcomeOf(answering(302, '', { location: '/elsewhere' }));
    expect(receiver.received).toHaveLength(before + 1);
  });

  test.each([
    [1_024, 1_024, false],
    [1_025, 1_024, true],
    [60_000, 1_024, true],
    [1_000_000, 1_024, true],
  ])('a response of %i bytes is stored up to %i', async (bytes, kept, isCut) => {
    const outcome = await outcomeOf(answering(200, 'x'.repeat(bytes)));
    expect(outcome).toMatchObject({ httpStatus: 200, failure: undefined, isAnswerCut: isCut });
    expect(outcome?.answer).toBe('x'.repeat(kept));
  });

  test('a stored response is valid text that is not cut within a character', async () => {
    expect((await outcomeOf(answering(200, 'é'.repeat(600))))?.answer).toBe('é'.repeat(512));
    expect((await outcomeOf(answering(200, `x${'é'.repeat(600)}`)))?.answer).toBe(`x${'é'.repeat(511)}`);
    expect((await outcomeOf(answering(200, Buffer.from([0x61, 0, 0xff, 0x62]))))?.answer).toBe(
      'a\ufffd\ufffdb',
    );
  });

  test('an attempt without a complete response times out and fails', async () => {
    expect(await outcomeOf(silent)).toMatchObject({ httpStatus: undefined, failure: 'timedOut' });
    const dripped = await outcomeOf(dripping);
    expect(dripped).toMatchObject({ httpStatus: 200, failure: 'timedOut' });
    for (const { latencyMs } of [await outcomeOf(silent), dripped].filter((one) => one !== undefined)) {
      expect(latencyMs).toBeGreaterThanOrEqual(timeoutMs - 1);
      expect(latencyMs).toBeLessThan(timeoutMs * 5);
    }
  });

  test('a response that breaks off fails', async () => {
    expect(await outcomeOf(resetting)).toMatchObject({ httpStatus: undefined, failure: 'connectionLost' });
    const cut: Reaction = (response) => {
      response
        .writeHead(200, { 'content-length': '10' })
        .write('half', () => response.socket?.resetAndDestroy());
    };
    expect(await outcomeOf(cut)).toMatchObject({ httpStatus: 200, failure: 'connectionLost' });
  });
});

describe('connections', () => {
  test('a connection is reused', async () => {
    receiver.react(() => answering(204));
    await post();
    const before = receiver.connections;
    for (const _ of [1, 2, 3]) {
      await untilReusable();
      await post();
    }
    expect(receiver.connections).toBe(before);
  });

  test('a reused connection that the receiver closes is replaced without costing an attempt', async () => {
    receiver.react(() => answering(204));
    await post();
    await untilReusable();
    const used = receiver.received.at(-1)?.remotePort;
    receiver.react((call) => (call.remotePort === used ? resetting : answering(204)));
    expect(await post()).toMatchObject({ httpStatus: 204, failure: undefined });
    expect(receiver.received.slice(-2).map(({ remotePort }) => remotePort === used)).toEqual([true, false]);
  });

  test('an attempt on a closed port fails with connectionRefused', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'connectionRefused' });
  });

  test.each([
    ['sends invalid HTTP', '220 mail.example ESMTP\r\n', 'malformedAnswer'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, 'malformedAnswer'],
    [
      'switches the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'malformedAnswer',
    ],
    ['sends only 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), 'malformedAnswer'],
  ])(
    'an attempt to a receiver that %s fails at once with malformedAnswer',
    async (_what, answer, failure) => {
      await using raw = await rawReceiver((socket) => socket.write(answer));
      const outcome = await post(raw.url);
      expect(outcome).toMatchObject({ httpStatus: undefined, failure });
      expect(outcome?.latencyMs).toBeLessThan(timeoutMs);
    },
  );

  test('a connection is closed when the response is too large, and its status counts', async () => {
    await using raw = await rawReceiver((socket) => {
      const chunk = 'x'.repeat(16_384);
      const goOn = (): void => {
        if (socket.writable) socket.write(chunk, () => setImmediate(goOn));
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n', goOn);
    });
    const patient = webhookSender(ownMachine, { timeoutMs: 10_000 });
    expect(await post(raw.url, patient)).toMatchObject({
      httpStatus: 200,
      failure: undefined,
      isAnswerCut: true,
    });
    await untilClosed(raw);
    patient.close();
  });

  test.each([
    ['without a response', ''],
    ['with an incomplete response', 'HTTP/1.1 200 OK\r\n\r\nx'],
    [
      'that switches the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
  ])('a connection %s is closed with its attempt', async (_what, answer) => {
    await using raw = await rawReceiver((socket) => socket.write(answer));
    expect((await post(raw.url))?.failure).toBeDefined();
    await untilClosed(raw);
  });

  test('an idle connection is closed with the sender', async () => {
    await using raw = await rawReceiver((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    const own = webhookSender(ownMachine, { timeoutMs });
    expect(await post(raw.url, own)).toMatchObject({ httpStatus: 204 });
    expect(raw.sockets[0]?.closed).toBe(false);
    own.close();
    await untilClosed(raw);
  });

  test('an attempt whose new connection breaks off is not repeated', async () => {
    await using raw = await rawReceiver((socket) => socket.resetAndDestroy());
    expect(await post(raw.url)).toMatchObject({ httpStatus: undefined, failure: 'connectionLost' });
    expect(raw.sockets).toHaveLength(1);
  });

  test('an attempt accepts a few informational responses before the final one', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(3);
    await using raw = await rawReceiver((socket) => socket.write(`${early}HTTP/1.1 204 No Content\r\n\r\n`));
    expect(await post(raw.url)).toMatchObject({ httpStatus: 204, failure: undefined });
  });

  test('an attempt whose response headers arrive byte by byte fails', async () => {
    await using raw = await rawReceiver((socket) => {
      const drip = (): void => {
        if (socket.writable) socket.write('H', () => setImmediate(drip));
      };
      socket.write('HTTP/1.1 200 OK\r\nX: ', drip);
    });
    expect((await post(raw.url))?.failure).toMatch(/^(?:timedOut|malformedAnswer)$/);
  });
});

describe('TLS', () => {
  test('an attempt over TLS needs a certificate that is valid for the host name', async () => {
    await using secure = await startTestReceiver({ tls: true });
    const patient = webhookSender(ownMachine);
    const trusting = webhookSender(ownMachine, {
      certificateAuthorities: testCertificate.cert,
    });
    expect(await post(secure.url, trusting)).toMatchObject({ httpStatus: 204 });
    expect(await post(secure.url.replace('127.0.0.1', 'localhost'), trusting)).toMatchObject({
      httpStatus: 204,
    });
    expect(secure.received).toHaveLength(2);
    expect(await post(secure.url, patient)).toMatchObject({ failure: 'tlsFailed' });
    expect(await post(receiver.url.replace('http:', 'https:'), patient)).toMatchObject({
      failure: 'tlsFailed',
    });
    const elsewhere = webhookSender(ownMachine, {
      certificateAuthorities: testCertificate.cert,
      resolveName: async () => ['127.0.0.1'],
    });
    expect(await post(secure.url.replace('127.0.0.1', 'shop.example'), elsewhere)).toMatchObject({
      failure: 'tlsFailed',
    });
    expect(secure.received).toHaveLength(2);
    for (const sender of [patient, trusting]) sender.close();
    elsewhere.close();
  });
});
