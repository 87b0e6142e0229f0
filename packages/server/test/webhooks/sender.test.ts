import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookRules } from '../../src/domain/webhooks/webhook-address.ts';
import { type SendOutcome, webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { listenOnLoopback } from '../loopback.ts';
import { untilReusable } from '../reusable-connection.ts';
import { testCertificate } from '../start/test-certificate.ts';
import { waitFor } from '../wait-for.ts';
import {
  answering,
  dripping,
  type Reaction,
  resetting,
  silent,
  startTestReceiver,
  type TestReceiver,
} from './test-receiver.ts';

const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };
/** What a silent receiver costs a test. */
const timeoutMs = 300;

let receiver: TestReceiver;
const sender = webhookSender({ rules: ownMachine, timeoutMs });

beforeAll(async () => {
  receiver = await startTestReceiver();
});
afterAll(async () => {
  sender.close();
  await receiver[Symbol.asyncDispose]();
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
  /** Of which the sender may have ended some. */
  readonly sockets: readonly Socket[];
}

/** Does what it likes as soon as something has been sent to it. */
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

test('an attempt is a POST of JSON with the headers that it is given', async () => {
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

describe('an answer', () => {
  test.each([200, 204, 299, 300, 301, 307, 400, 410, 429, 500, 503])(
    'with status %i is told as such',
    async (status) => {
      expect(await outcomeOf(answering(status))).toMatchObject({ httpStatus: status, failure: undefined });
    },
  );

  test('that redirects is not followed', async () => {
    const before = receiver.received.length;
    await outcomeOf(answering(302, '', { location: '/elsewhere' }));
    expect(receiver.received).toHaveLength(before + 1);
  });

  test.each([
    [1_024, 1_024, false],
    [1_025, 1_024, true],
    [60_000, 1_024, true],
    [1_000_000, 1_024, true],
  ])('of %i bytes is kept to %i', async (bytes, kept, isCut) => {
    const outcome = await outcomeOf(answering(200, 'x'.repeat(bytes)));
    expect(outcome).toMatchObject({ httpStatus: 200, failure: undefined, isAnswerCut: isCut });
    expect(outcome?.answer).toBe('x'.repeat(kept));
  });

  test('is not cut within a character, and holds nothing that cannot be kept', async () => {
    expect((await outcomeOf(answering(200, 'é'.repeat(600))))?.answer).toBe('é'.repeat(512));
    expect((await outcomeOf(answering(200, `x${'é'.repeat(600)}`)))?.answer).toBe(`x${'é'.repeat(511)}`);
    expect((await outcomeOf(answering(200, Buffer.from([0x61, 0, 0xff, 0x62]))))?.answer).toBe(
      'a\ufffd\ufffdb',
    );
  });

  test('without an end ends the attempt in time, and does not count', async () => {
    expect(await outcomeOf(silent)).toMatchObject({ httpStatus: undefined, failure: 'timedOut' });
    const dripped = await outcomeOf(dripping);
    expect(dripped).toMatchObject({ httpStatus: 200, failure: 'timedOut' });
    for (const { latencyMs } of [await outcomeOf(silent), dripped].filter((one) => one !== undefined)) {
      expect(latencyMs).toBeGreaterThanOrEqual(timeoutMs - 1);
      expect(latencyMs).toBeLessThan(timeoutMs * 5);
    }
  });

  test('that is cut does not count', async () => {
    expect(await outcomeOf(resetting)).toMatchObject({ httpStatus: undefined, failure: 'connectionLost' });
    const cut: Reaction = (response) => {
      response
        .writeHead(200, { 'content-length': '10' })
        .write('half', () => response.socket?.resetAndDestroy());
    };
    expect(await outcomeOf(cut)).toMatchObject({ httpStatus: 200, failure: 'connectionLost' });
  });
});

describe('a connection', () => {
  test('is used again', async () => {
    receiver.react(() => answering(204));
    await post();
    const before = receiver.connections;
    for (const _ of [1, 2, 3]) {
      await untilReusable();
      await post();
    }
    expect(receiver.connections).toBe(before);
  });

  test('that the receiver closes as it is used again costs no attempt', async () => {
    receiver.react(() => answering(204));
    await post();
    await untilReusable();
    const used = receiver.received.at(-1)?.remotePort;
    receiver.react((call) => (call.remotePort === used ? resetting : answering(204)));
    expect(await post()).toMatchObject({ httpStatus: 204, failure: undefined });
    expect(receiver.received.slice(-2).map(({ remotePort }) => remotePort === used)).toEqual([true, false]);
  });

  test('that nobody accepts is refused', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'connectionRefused' });
  });

  test.each([
    ['speaks no HTTP', '220 mail.example ESMTP\r\n', 'malformedAnswer'],
    ['has headers without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, 'malformedAnswer'],
    [
      'wants another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'malformedAnswer',
    ],
    ['says to go on, and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), 'malformedAnswer'],
  ])('to what %s ends at once, and is told as malformed', async (_what, answer, failure) => {
    await using raw = await rawReceiver((socket) => socket.write(answer));
    const outcome = await post(raw.url);
    expect(outcome).toMatchObject({ httpStatus: undefined, failure });
    expect(outcome?.latencyMs).toBeLessThan(timeoutMs);
  });

  test('is ended with an answer that is too large, whose status counts', async () => {
    await using raw = await rawReceiver((socket) => {
      const chunk = 'x'.repeat(16_384);
      const goOn = (): void => {
        if (socket.writable) socket.write(chunk, () => setImmediate(goOn));
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n', goOn);
    });
    const patient = webhookSender({ rules: ownMachine, timeoutMs: 10_000 });
    expect(await post(raw.url, patient)).toMatchObject({
      httpStatus: 200,
      failure: undefined,
      isAnswerCut: true,
    });
    await untilClosed(raw);
    patient.close();
  });

  test.each([
    ['without an answer', ''],
    ['with an answer without an end', 'HTTP/1.1 200 OK\r\n\r\nx'],
    ['for another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s is ended with its attempt', async (_what, answer) => {
    await using raw = await rawReceiver((socket) => socket.write(answer));
    expect((await post(raw.url))?.failure).toBeDefined();
    await untilClosed(raw);
  });

  test('that nobody uses is ended with the sender', async () => {
    await using raw = await rawReceiver((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    const own = webhookSender({ rules: ownMachine, timeoutMs });
    expect(await post(raw.url, own)).toMatchObject({ httpStatus: 204 });
    expect(raw.sockets[0]?.closed).toBe(false);
    own.close();
    await untilClosed(raw);
  });

  test('that is new and breaks off is not tried again', async () => {
    await using raw = await rawReceiver((socket) => socket.resetAndDestroy());
    expect(await post(raw.url)).toMatchObject({ httpStatus: undefined, failure: 'connectionLost' });
    expect(raw.sockets).toHaveLength(1);
  });

  test('takes a few words before the answer', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(3);
    await using raw = await rawReceiver((socket) => socket.write(`${early}HTTP/1.1 204 No Content\r\n\r\n`));
    expect(await post(raw.url)).toMatchObject({ httpStatus: 204, failure: undefined });
  });

  test('on which headers come a byte at a time ends in time', async () => {
    await using raw = await rawReceiver((socket) => {
      const drip = (): void => {
        if (socket.writable) socket.write('H', () => setImmediate(drip));
      };
      socket.write('HTTP/1.1 200 OK\r\nX: ', drip);
    });
    expect((await post(raw.url))?.failure).toMatch(/^(?:timedOut|malformedAnswer)$/);
  });
});

describe('over TLS', () => {
  test('the certificate has to be good for the name', async () => {
    await using secure = await startTestReceiver({ tls: true });
    const patient = webhookSender({ rules: ownMachine });
    const trusting = webhookSender({
      rules: ownMachine,
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
    const elsewhere = webhookSender({
      rules: ownMachine,
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
