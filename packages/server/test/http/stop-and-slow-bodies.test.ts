// A stop while bodies are still being received: responses close their connections, so that none delays the stop.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { answerWithinMs } from '../../src/http/listener/listener.ts';
import { bytesOf } from '../attack/pipelined-client.ts';
import { makeScratch } from '../embedded/scratch.ts';
import { adminKey, call, createTestApp, startTestServer } from '../harness.ts';
import { testCertificate } from '../start/test-certificate.ts';
import { waitFor } from '../wait-for.ts';

/** An idle connection would stay open for more than a minute. */
const stopWithinMs = 10_000;

const body = '{}';

/** A request head that announces a body, without the body. */
function headOf(path: string, authorization: string): string {
  const headers = {
    authorization: `Bearer ${authorization}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return bytesOf({ method: 'POST', path, headers });
}

async function openSocket(url: string, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ...options });
  await once(socket, 'connect');
  return socket;
}

async function beginCall(url: string, path: string, authorization: string): Promise<Socket> {
  const socket = await openSocket(url);
  socket.write(headOf(path, authorization));
  return socket;
}

/** A call with an invalid token is rejected before its body has arrived. */
async function refusedCall(url: string, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const socket = await openSocket(url, options);
  socket.write(headOf('/v2/purchase/consume/none/none', 'none'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
  return socket;
}

/** Fails unless a stop ends well before the timeout of an idle connection. */
async function soon(stopped: Promise<void>): Promise<void> {
  const begun = performance.now();
  await stopped;
  expect(performance.now() - begun).toBeLessThan(stopWithinMs);
}

test.each([
  ['comes', (socket: Socket) => socket.write(body)],
  ['does not come', () => true],
])(
  'a stop does not wait for a call that was rejected before its body arrived, whether that %s',
  async (_, goOn) => {
    const server = await startTestServer();
    const socket = await refusedCall(server.publicUrl);
    const rest = text(socket);
    const stopped = soon(server.stop());
    goOn(socket);
    await stopped;
    expect(await rest).toBe('');
  },
);

test('a stop cuts off a client that was rejected and never ends its side', async () => {
  const server = await startTestServer();
  const socket = await refusedCall(server.publicUrl, { allowHalfOpen: true });
  socket.on('error', () => undefined);
  await soon(server.stop());
  socket.destroy();
});

test('a call after a rejected one on the same connection is answered during a stop', async () => {
  const server = await startTestServer();
  const { packageName, token } = await createTestApp(server);
  const socket = await refusedCall(server.publicUrl);
  socket.write(body + headOf(`/v2/purchase/consume/none/${packageName}`, token));
  const rest = text(socket);
  // The response to a later request shows that the head has been read.
  await call(`${server.publicUrl}/v2/none`);
  const stopped = server.stop();
  socket.write(body);
  await stopped;
  expect(await rest).toMatch(/^HTTP\/1\.1 409 .*\r\nconnection: close\r\n/s);
});

test.each([
  ['of a route', 409, (packageName: string) => `/v2/purchase/consume/none/${packageName}`],
  ['that cannot be decoded', 400, () => '/v2/%zz'],
])(
  'a call %s whose head is completed during a stop is answered, and its connection is closed',
  async (...row) => {
    const [, status, pathOf] = row;
    const server = await startTestServer();
    const { packageName, token } = await createTestApp(server);
    const socket = await openSocket(server.publicUrl);
    const bytes = headOf(pathOf(packageName), token) + body;
    const firstLine = bytes.slice(0, bytes.indexOf('\n') + 1);
    socket.write(firstLine);
    // The response to a later request shows that this one has been read.
    await call(`${server.publicUrl}/v2/none`);
    const stopped = server.stop();
    const answer = text(socket);
    socket.write(bytes.slice(firstLine.length));
    await stopped;
    expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\nconnection: close\\r\\n`, 's'));
  },
);

test('a connection without any data does not delay a stop', async () => {
  const server = await startTestServer();
  const socket = await openSocket(server.publicUrl);
  await call(`${server.publicUrl}/v2/none`);
  await soon(server.stop());
  socket.destroy();
});

test('a TLS connection without any data does not delay a stop', async () => {
  await using scratch = await makeScratch();
  const files = { cert: join(scratch.path, 'tls.crt'), key: join(scratch.path, 'tls.key') };
  await writeFile(files.cert, testCertificate.cert);
  await writeFile(files.key, testCertificate.key);
  const env = { OPENTILL_TLS_CERT: files.cert, OPENTILL_TLS_KEY: files.key };
  const server = await startTestServer({ env });
  const { hostname: host, port } = new URL(server.publicUrl);
  const options = { host, port: Number(port), rejectUnauthorized: false };
  const [silent, shaking] = [connectTls(options), connectTls(options)];
  await Promise.all([silent, shaking].map((socket) => once(socket, 'secureConnect')));
  // The response to a later request shows that the handshakes are over.
  shaking.write(headOf('/v2/none', 'none'));
  await once(shaking, 'data');
  await soon(server.stop());
  silent.destroy();
  shaking.destroy();
});

test('a call whose body takes longer than the response deadline has its connection closed', async () => {
  const server = await startTestServer();
  const { packageName, token } = await createTestApp(server);
  const consume = `/v2/purchase/consume/none/${packageName}`;
  const sockets = [
    await beginCall(server.publicUrl, consume, token),
    await beginCall(server.publicUrl, `${consume}.of.others`, token),
    await beginCall(server.operatorUrl, '/operator/v1/apps', adminKey),
  ];
  const answers = sockets.map((socket) => text(socket));
  const begun = performance.now();
  await waitFor(() => performance.now() - begun > 1.2 * answerWithinMs, {
    deadlineMs: 2 * answerWithinMs,
    what: 'the time of an answer',
  });
  const stopped = soon(server.stop());
  for (const socket of sockets) socket.write(body);
  await stopped;
  const [ofApp, ofOthers, ofOperator] = await Promise.all(answers);
  expect(ofOperator).toMatch(/^HTTP\/1\.1 400 /);
  for (const answer of [ofApp, ofOthers]) {
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/);
  }
});
