// A stop while bodies are still coming: their answers end their connections, so that none of them holds it up.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { answerWithinMs } from '../../src/http/listener.ts';
import { adminKey, createTestApp, startTestServer } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

/** An idle connection would be kept for more than a minute. */
const stopWithinMs = 10_000;

/** Sends a head that announces a body, and nothing of that. */
async function beginCall(host: string, line: string, headers: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(host);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${[`${line} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n`);
  return socket;
}

test('a call whose body takes longer than an answer may ends its connection', async () => {
  const server = await startTestServer();
  const { packageName, token } = await createTestApp(server);
  const consume = `POST /v2/purchase/consume/none/${packageName}`;
  const json = ['Content-Type: application/json', 'Content-Length: 2'];
  const sockets = [
    await beginCall(server.publicUrl, consume, [`Authorization: Bearer ${token}`, ...json]),
    await beginCall(server.publicUrl, `${consume}.of.others`, [`Authorization: Bearer ${token}`, ...json]),
    await beginCall(server.operatorUrl, 'POST /operator/v1/apps', [
      `Authorization: Bearer ${adminKey}`,
      ...json,
    ]),
  ];
  const answers = sockets.map((socket) => text(socket));
  const begun = performance.now();
  await waitFor(() => performance.now() - begun > 1.2 * answerWithinMs, {
    deadlineMs: 2 * answerWithinMs,
    what: 'the time of an answer',
  });
  const stopping = performance.now();
  const stopped = server.stop();
  for (const socket of sockets) socket.write('{}');
  await stopped;
  expect(performance.now() - stopping).toBeLessThan(stopWithinMs);
  const [ofApp, ofOthers, ofOperator] = await Promise.all(answers);
  expect(ofOperator).toMatch(/^HTTP\/1\.1 400 /);
  for (const answer of [ofApp, ofOthers]) {
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/);
  }
});
