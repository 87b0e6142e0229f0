// A payment gateway in this process that approves every charge, and its settings of a server.

import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from '../packages/server/test/loopback.ts';

/** With the number of payments by idempotency key. Each takes `answerMs`; charges of the app `hanging` get no response. */
export async function startGateway({ answerMs = 0, hanging = '' } = {}) {
  const taken = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = String(request.headers['webhook-id']);
    request.resume().on('end', async () => {
      if (key.includes(`/${hanging}/`)) return;
      if (answerMs > 0) await pause(answerMs);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      response.setHeader('content-type', 'application/json');
      response.end('{"outcome":"paid"}');
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  const settings = {
    OPENTILL_PAYMENT_GATEWAY_URL: `http://127.0.0.1:${port}/`,
    OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  };
  return { settings, taken, [Symbol.asyncDispose]: close };
}
