// Requests that do not arrive completely.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { takeAnswers } from '../attack/pipelined-client.ts';
import { useTestServer } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

const server = await useTestServer({ testing: { arrivalMs: 1_000 } });

const head = [
  'POST /v2/oauth/token HTTP/1.1',
  'host: localhost',
  'content-type: application/x-www-form-urlencoded',
  'content-length: 100',
].join('\r\n');

test.each([
  ['nothing', ''],
  ['half of its head', head],
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
  expect(takeAnswers(received)[0].map(({ status }) => status)).toEqual([408]);
});
