// Outgoing requests to raw sockets: whatever the server sends, a request ends by its deadline and reads a limited amount.

import { afterAll, describe, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { type RawServer, responseText, startRawServer } from '../../../../test/support/runtime/raw-server.ts';
import { testCertificate } from '../../../../test/support/start/test-certificate.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { responding, startTestReceiver } from '../../../../test/support/webhooks/test-receiver.ts';
import { OutgoingHttp } from '../../src/runtime/outgoing-http.ts';
import { timedOut, untilReusable } from '../reusable-connection.ts';

/** On a busy machine, a response takes only a part of it. */
const withinMs = 60_000;
const bodyBytesMax = 16_384;

const raw = await useForFile(startRawServer());
const http = new OutgoingHttp({ withinMs, bodyBytesMax });
afterAll(() => http.close());

/** By default to the raw server over a new connection. */
const post = (by?: OutgoingHttp, url = raw.url, signal?: AbortSignal) => {
  const message = { method: 'POST', url: new URL(url), body: '{}', signal } as const;
  if (by !== undefined) return by.send(message);
  const own = new OutgoingHttp({ withinMs, bodyBytesMax });
  return own.send(message).finally(() => untilReusable().then(() => own.close()));
};

type Speak = Parameters<RawServer['speak']>[0];
type Socket = RawServer['sockets'][number];

/** undici opens a connection for a request that was aborted, and sends nothing on it. */
const usedSockets = () => raw.sockets.filter(({ bytesRead }) => bytesRead > 0);

const untilClosed = (socket: Socket | undefined) =>
  waitFor(() => socket?.destroyed, { what: 'the end of the connection' });

/** Continues until the other side closes the connection. */
function forever(text: string, { first }: { readonly first: string }): Speak {
  return (socket) => {
    const goOn = () => {
      if (socket.writable) socket.write(text, () => setImmediate(goOn));
    };
    socket.write(first, goOn);
  };
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';

describe('responses that are not whole', () => {
  test.each<[what: string, speak: Speak, failure: string | undefined, status?: number]>([
    ['says nothing', () => undefined, 'timedOut'],
    ['falls silent within the body', (socket) => socket.write(`${chunked}4\r\nhalf\r\n`), 'timedOut', 200],
    ['sends the headers byte by byte', forever('H', { first: 'HTTP/1.1 200 OK\r\nX: ' }), 'malformed'],
    [
      'sends an endless body',
      forever(`4000\r\n${'x'.repeat(16_384)}\r\n`, { first: chunked }),
      undefined,
      200,
    ],
    ['sends invalid HTTP', (socket) => socket.write('220 mail.example ESMTP\r\n'), 'malformed'],
    ['switches the protocol', (socket) => socket.write(upgrade), 'malformed'],
    ['sends endless 103 Early Hints', forever('HTTP/1.1 103 Early Hints\r\n\r\n', { first: '' }), 'timedOut'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'connectionLost'],
    [
      'hangs up within the body',
      (socket) => socket.end(responseText('whole').slice(0, -1)),
      'connectionLost',
      200,
    ],
  ])(
    'a request to a server that %s ends by its deadline, once, and with its connection',
    async (_what, speak, failure, status) => {
      raw.speak(speak);
      const before = usedSockets().length;
      const hasArrived = () => usedSockets().length > before;
      const limit = { withinMs, hasArrived };
      const outcome = failure === 'timedOut' ? await timedOut(() => post(http), limit) : await post(http);
      expect([outcome.failure?.kind, outcome.status]).toEqual([failure, status]);
      // Only the endless body ends without a failure.
      expect(outcome.isTooLarge).toBe(failure === undefined);
      const socket = usedSockets().at(-1);
      socket?.end();
      await untilClosed(socket);
      // The content of buffers on the way; no more is read, however much is sent.
      expect(socket?.bytesWritten).toBeLessThan(20_000_000);
      expect(usedSockets()).toHaveLength(before + 1);
    },
  );

  test('a request that was not sent is distinguished', async () => {
    const closed = await startRawServer();
    await closed[Symbol.asyncDispose]();
    const refused = { kind: 'notConnected', error: { code: 'ECONNREFUSED' } };
    expect(await post(http, closed.url)).toMatchObject({ status: undefined, failure: refused });
    const { failure } = await post(http, 'http://server.invalid/');
    expect(failure).toMatchObject({
      kind: 'notConnected',
      error: { code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) },
    });
  });
});

const body = (text: string | Buffer) => ({
  body: Buffer.from(text),
  isTooLarge: false,
  failure: undefined,
});

test('a redirect is not followed', async () => {
  raw.speak((socket) =>
    socket.write(responseText('', { status: '307 Moved', headers: `location: ${raw.url}\r\n` })),
  );
  const before = raw.sockets.length;
  expect(await post()).toEqual({ status: 307, ...body(''), location: raw.url });
  expect(raw.sockets).toHaveLength(before + 1);
});

describe('connections', () => {
  /** A client with one kept connection. */
  async function connected(): Promise<{ readonly own: OutgoingHttp; readonly kept: Socket | undefined }> {
    const own = new OutgoingHttp({ withinMs, bodyBytesMax });
    raw.speak((socket) => socket.write(responseText('ok')));
    await post(own);
    await untilReusable();
    return { own, kept: raw.sockets.at(-1) };
  }

  test('a connection is reused, and closed with the client when it is idle', async () => {
    const { own, kept } = await connected();
    const before = raw.sockets.length;
    for (const _ of [1, 2, 3]) {
      expect(await post(own)).toMatchObject({ status: 200 });
      await untilReusable();
    }
    expect(raw.sockets).toHaveLength(before);
    own.close();
    kept?.end();
    await untilClosed(kept);
  });

  test('a request whose connection breaks is not sent again, because the server may have received it', async () => {
    const { own } = await connected();
    raw.speak((socket) => socket.resetAndDestroy());
    const before = raw.sockets.length;
    expect(await post(own)).toMatchObject({ failure: { kind: 'connectionLost' } });
    expect(raw.sockets).toHaveLength(before);
    own.close();
  });

  test('a request is aborted by its signal or by closing the client, in flight or before it is connected', async () => {
    raw.speak(() => undefined);
    const stopping = new AbortController();
    const before = raw.sockets.length;
    const inFlight = post(undefined, raw.url, stopping.signal);
    await waitFor(() => raw.sockets[before]?.bytesRead, { what: 'the request' });
    using unresolved = new OutgoingHttp({ withinMs, bodyBytesMax }, { lookup: () => undefined });
    const connecting = post(unresolved, 'http://server.example/', stopping.signal);
    const other = post(unresolved, 'http://server.example/');
    stopping.abort();
    unresolved.close();
    const after = [post(unresolved), post(http, raw.url, stopping.signal)];
    for (const sending of [inFlight, connecting, other, ...after]) {
      expect(await sending).toMatchObject({ status: undefined, failure: { kind: 'aborted' } });
    }
    await untilClosed(raw.sockets.at(-1));
  });
});

test('a request over TLS needs a certificate that is trusted and valid for the host name', async () => {
  await using secure = await startTestReceiver({ tls: true });
  secure.react(() => responding(204));
  const limits = { withinMs, bodyBytesMax };
  const toSelf: ConstructorParameters<typeof OutgoingHttp>[1] = {
    ca: testCertificate.cert,
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  };
  using suspicious = new OutgoingHttp(limits);
  using trusting = new OutgoingHttp(limits, toSelf);
  const named = (name: string) => secure.url.replace('127.0.0.1', name);
  expect(await post(trusting, secure.url)).toMatchObject({ status: 204 });
  expect(await post(trusting, named('localhost'))).toMatchObject({ status: 204 });
  const refused = { kind: 'notConnected', error: { code: expect.stringMatching(/CERT/) } };
  expect(await post(suspicious, secure.url)).toMatchObject({ failure: refused });
  expect(await post(trusting, named('shop.example'))).toMatchObject({ failure: refused });
  expect(secure.received).toHaveLength(2);
});
