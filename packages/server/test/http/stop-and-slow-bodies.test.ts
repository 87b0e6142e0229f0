// A stop while bodies are still coming: their answers end their connections, so that none of them holds it up.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { answerWithinMs } from '../../src/http/listener.ts';
import { bytesOf } from '../attack/pipelined-client.ts';
import { adminKey, createTestApp, startTestServer } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

/** An idle connection would be kept for more than a minute. */
const stopWithinMs = 10_000;

const body = '{}';

/** Sends a head that announces the body, and nothing of that. */
async function beginCall(url: string, path: string, authorization: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  const headers = {
    authorization: `Bearer ${authorization}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  socket.write(bytesOf({ method: 'POST', path, headers }));
  return socket;
}

test('a call whose body takes longer than an answer may ends its connection', async () => {
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
  const stopping = performance.now();
  const stopped = server.stop();
  for (const socket of sockets) socket.write(body);
  await stopped;
  expect(performance.now() - stopping).toBeLessThan(stopWithinMs);
  const [ofApp, ofOthers, ofOperator] = await Promise.all(answers);
  expect(ofOperator).toMatch(/^HTTP\/1\.1 400 /);
  for (const answer of [ofApp, ofOthers]) {
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/);
  }
});
