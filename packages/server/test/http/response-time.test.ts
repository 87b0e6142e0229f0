// The limit of the time of a response.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createListener } from '../../src/http/listener/listener.ts';
import { responseWithinMs } from '../../src/http/listener/steps.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';

afterEach(() => void vi.useRealTimers());

/** A connection to a listener whose calls never get a response, and a promise of the first call in flight. */
async function startListener() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const listener = createListener({
    log: pino({ level: 'silent' }),
    logCall: () => undefined,
    metrics: createMetrics(),
    nextRequestId: () => 'request',
    tls: undefined,
    isTrustedProxy: undefined,
    errorForm: () => 'purchase',
    sendUnrouted: (_request, reply) => reply.send(),
    connectionsMax: 10,
  });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  listener.addHook('onRequest', async () => begin());
  for (const method of ['GET', 'POST']) {
    listener.route({ method, url: '/', handler: () => new Promise(() => undefined) });
  }
  const { port } = new URL(await listener.listen());
  onTestFinished(() => listener.close());
  const socket = connect({ port: Number(port) });
  await once(socket, 'connect');
  return { socket, begun };
}

const head = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n';

const unavailable =
  /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*\r\n\r\n\{"error":\{"code":9999,"message":"[^"]+"\}\}$/is;

async function received(socket: Socket): Promise<string> {
  return String((await once(socket, 'data'))[0]);
}

test('a call whose response is not ready within 2.8 seconds gets 503 with Retry-After', async () => {
  const { socket, begun } = await startListener();
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await begun;
  const response = received(socket);
  vi.advanceTimersByTime(responseWithinMs);
  expect(await response).toMatch(unavailable);
  socket.destroy();
});

test('the time of a call starts again when a slow client has sent its body', async () => {
  const { socket, begun } = await startListener();
  socket.write(head);
  await begun;
  let response = '';
  socket.on('data', (bytes) => (response += bytes));
  vi.advanceTimersByTime(responseWithinMs);
  socket.write('{}');
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  vi.advanceTimersByTime(responseWithinMs - 1);
  expect(response).toBe('');
  const last = received(socket);
  vi.advanceTimersByTime(1);
  expect(await last).toMatch(unavailable);
  socket.destroy();
});
