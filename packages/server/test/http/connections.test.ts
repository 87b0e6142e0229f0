// How many connections a listener accepts, and which of them it closes.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { UnreadResponses } from '../../src/http/listener/connections.ts';
import { createListener } from '../../src/http/listener/listener.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { call, newTestApp, startTestServer, whenAvailable } from '../harness.ts';
import { testCertificate } from '../start/test-certificate.ts';
import { waitFor } from '../wait-for.ts';

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const listenerOptions = {
  log: pino({ level: 'silent' }),
  metrics: createMetrics(),
  nextRequestId: () => 'request',
  isTrustedProxy: undefined,
  errorForm: () => 'purchase' as const,
  connectionsMax: 10,
};

/** More responses than the buffers of both systems take. */
const manyRequests = 'GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(40_000);

test('a connection with unsent data and no progress is closed, but not one that reads slowly or waits for an event', async () => {
  await using server = await startTestServer({ testing: { unreadMs: 1_000 } });
  const app = await newTestApp(server);
  const { order } = (
    await call(`${server.publicUrl}/events/v1/events`, { headers: { authorization: `Bearer ${app.token}` } })
  ).body.events.at(-1) ?? { order: 0 };
  // The many requests may keep the server from answering this one in time: a closed connection would throw.
  const waiting = whenAvailable(() =>
    call(`${server.publicUrl}/events/v1/events?after=${order}&waitSeconds=2`, {
      headers: { authorization: `Bearer ${app.token}` },
    }),
  );
  let status: number | undefined;
  void waiting.then((answer) => {
    status = answer.status;
  });
  const stalled = await connected(server.publicUrl);
  const slow = await connected(server.publicUrl);
  for (const socket of [stalled, slow]) socket.pause().write(manyRequests);
  await waitFor(
    () => {
      slow.read(65_536);
      stalled.write(' ');
      return stalled.destroyed && status !== undefined;
    },
    { deadlineMs: 20_000, what: 'the end of the stalled connection and of the wait' },
  );
  expect(status).toBe(200);
  // It gets every response: its last request, which closes the connection, is answered, too.
  slow.end('GET /none HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  await once(slow.resume(), 'end');
});

test.each(['http', 'https'])(
  'over %s, when all clients together leave too much unread, the largest part is dropped, and only that',
  async (protocol) => {
    using unreadResponses = new UnreadResponses({ unsentBytes: 30e6, crowdedUnreadMs: 500 });
    const tls =
      protocol === 'https'
        ? { cert: Buffer.from(testCertificate.cert), key: Buffer.from(testCertificate.key) }
        : undefined;
    const listener = createListener({ ...listenerOptions, tls, unreadResponses });
    let calls = 0;
    listener.get('/large', () => {
      calls += 1;
      return 'x'.repeat(1e6);
    });
    const { port } = new URL(await listener.listen());
    await using _ = { [Symbol.asyncDispose]: () => listener.close() };
    const open = async (requests: number): Promise<Socket> => {
      const socket = tls
        ? connectTls({ port: Number(port), rejectUnauthorized: false })
        : connect(Number(port));
      socket.on('error', () => undefined);
      await once(socket, tls ? 'secureConnect' : 'connect');
      const before = calls;
      socket.pause().write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(requests));
      await waitFor(() => calls === before + requests, { deadlineMs: 20_000, what: 'all calls' });
      return socket;
    };
    const largest = await open(25);
    const smaller = await open(15);
    await waitFor(
      () => {
        largest.write('\r\n');
        return largest.destroyed;
      },
      { deadlineMs: 20_000, what: 'the end of the largest connection' },
    );
    const reading = await open(10);
    for (const [socket, responses] of [
      [smaller, 15],
      [reading, 10],
    ] as const) {
      let bytes = 0;
      socket.on('data', (chunk) => (bytes += chunk.length)).resume();
      await waitFor(() => bytes > responses * 1e6, { deadlineMs: 20_000, what: 'all responses' });
      socket.destroy();
    }
  },
);

test('each listener accepts OPENTILL_MAX_CONNECTIONS connections and closes further ones at once', async () => {
  await using server = await startTestServer({ env: { OPENTILL_MAX_CONNECTIONS: '3' } });
  const sockets = await Promise.all([1, 2, 3].map(() => connected(server.publicUrl)));
  const answerTo = async (socket: Socket): Promise<string> => {
    socket.write('GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const received = once(socket, 'data').then(([bytes]) => String(bytes));
    return await Promise.race([received, once(socket, 'close').then(() => 'closed')]);
  };
  for (const socket of sockets) expect(await answerTo(socket)).toMatch(/^HTTP\/1.1 404 /);
  expect(await answerTo(await connected(server.publicUrl))).toBe('closed');
  const metrics = await call(`${server.operatorUrl}/metrics`, { headers: { connection: 'close' } });
  expect(metrics.text).toContain('\nopentill_rejected_connections_total 1\n');
  const [first] = sockets;
  first?.destroy();
  await waitFor(async () => (await answerTo(await connected(server.publicUrl))) !== 'closed', {
    deadlineMs: 5_000,
    what: 'a slot for a new connection',
  });
});
