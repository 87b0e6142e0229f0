// How many connections a listener accepts, and requests that do not arrive completely.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { call, startTestServer, useTestServer } from '../../../../test/support/harness.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { takeResponses } from './pipelined-client.ts';

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('each listener accepts its maximum of connections and closes further ones at once', async () => {
  await using server = await startTestServer({ testing: { connectionsMax: 3 } });
  const sockets = await Promise.all([1, 2, 3].map(() => connected(server.publicUrl)));
  const responseTo = async (socket: Socket): Promise<string> => {
    socket.write('GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const received = once(socket, 'data').then(([bytes]) => String(bytes));
    return await Promise.race([received, once(socket, 'close').then(() => 'closed')]);
  };
  for (const socket of sockets) expect(await responseTo(socket)).toMatch(/^HTTP\/1.1 404 /);
  expect(await responseTo(await connected(server.publicUrl))).toBe('closed');
  const metrics = await call(`${server.operatorUrl}/metrics`, { headers: { connection: 'close' } });
  expect(metrics.text).toContain('\nopentill_rejected_connections_total 1\n');
  const [first] = sockets;
  first?.destroy();
  await waitFor(async () => (await responseTo(await connected(server.publicUrl))) !== 'closed', {
    what: 'a slot for a new connection',
  });
});

const server = await useTestServer({ testing: { arrivalMs: 1_000 } });

const head = [
  'POST /v2/oauth/token HTTP/1.1',
  'host: localhost',
  'content-type: application/x-www-form-urlencoded',
  'content-length: 100',
].join('\r\n');

test.each([
  ['nothing', ''],
  ['its head', `${head}\r\n\r\n`],
  ['half of its body', `${head}\r\n\r\ngrant_type=`],
])('a request of which only %s has arrived within the time limit gets 408', async (_, bytes) => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.publicUrl).port) });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.write(bytes);
  // Less than the minute that Node.js allows for a head by default.
  await waitFor(() => socket.closed, { what: 'the end of the connection' });
  expect(takeResponses(received)[0].map(({ status }) => status)).toEqual([408]);
});
