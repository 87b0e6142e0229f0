// A stop with open connections: calls in flight get their responses, and no connection outlasts them. A drain precedes it
// behind a proxy.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  call,
  callPurchaseApi,
  createTestApp,
  operatorOf,
  recordTestPurchase,
  startTestServer,
} from '../../../../test/support/harness.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { startTestReceiver } from '../../../../test/support/webhooks/test-receiver.ts';
import { bytesOf } from './pipelined-client.ts';

const body = '{}';

/** A request head that announces a body, without the body. */
function headOf(path: string, token: string): string {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return bytesOf({ method: 'POST', path, headers });
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('a stop ends although clients that never end their side keep connections open', async () => {
  const server = await startTestServer();
  const silent = await openSocket(server.publicUrl);
  const unfinished = await openSocket(server.publicUrl);
  // A call with an invalid token is rejected before its body has arrived.
  unfinished.write(headOf('/v2/purchase/consume/none/none', 'none'));
  expect(String((await once(unfinished, 'data'))[0])).toMatch(/^HTTP\/1\.1 401 /);
  const rest = text(unfinished).catch(() => '');
  await server.stop();
  expect(await rest).toBe('');
  for (const socket of [silent, unfinished]) socket.destroy();
});

test('a call whose head is completed during a stop gets its response, and its connection is closed', async () => {
  const server = await startTestServer();
  const { packageName, token } = await createTestApp(server);
  const socket = await openSocket(server.publicUrl);
  const bytes = headOf(`/v2/purchase/consume/none/${packageName}`, token) + body;
  const firstLine = bytes.slice(0, bytes.indexOf('\n') + 1);
  socket.write(firstLine);
  // The response to a later request shows that this one has been read.
  await call(`${server.publicUrl}/v2/none`);
  const stopped = server.stop();
  const response = text(socket);
  socket.write(bytes.slice(firstLine.length));
  await stopped;
  socket.destroy();
  expect(await response).toMatch(/^HTTP\/1\.1 409 .*\r\nconnection: close\r\n/s);
});

/** Only a stop ends a drain of this length. */
const endlessMs = 3_600_000;

test('a draining server is not ready, but serves calls on new connections of both listeners until it stops', async () => {
  const server = await startTestServer();
  const app = await createTestApp(server);
  const drained = server.drain(endlessMs);
  expect((await call(`${server.operatorUrl}/health/ready`)).status).toBe(503);
  const { purchaseId } = await recordTestPurchase(server, app);
  const path = `/consume/${purchaseId}/${app.packageName}`;
  expect((await callPurchaseApi(server, { token: app.token, method: 'POST', path })).status).toBe(200);
  await server.stop();
  await drained;
});

test('a drain ends the jobs, and waits for a delivery in flight', async () => {
  await using receiver = await startTestReceiver();
  await using server = await startTestServer({ runsJobs: true });
  const app = await createTestApp(server);
  await operatorOf(server).putWebhook({ packageName: app.packageName, url: receiver.url });
  const held = Promise.withResolvers<void>();
  receiver.react(() => (response) => void held.promise.then(() => response.writeHead(204).end()));
  await recordTestPurchase(server, app);
  await waitFor(() => receiver.received.length > 0, { what: 'a delivery in flight' });
  const order: string[] = [];
  const drained = server.drain(0).then(() => order.push('drained'));
  await call(`${server.operatorUrl}/health/live`);
  order.push('delivered');
  held.resolve();
  await drained;
  expect(order).toEqual(['delivered', 'drained']);
});
