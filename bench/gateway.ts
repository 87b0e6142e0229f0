// A payment gateway in this process that approves every charge, and its settings of a server.

import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from '../test/support/loopback.ts';

/** When the first request with a key arrived, and when it was paid; instants of performance.now(). */
export interface BenchCharge {
  readonly askedAt: number;
  paidAt: number;
}

/** Each payment takes `answerMs`; charges of apps whose name starts with `hanging` get no response and are not counted. */
export async function startGateway({ answerMs = 0, hanging = '' } = {}) {
  /** The number of payments by idempotency key. */
  const taken = new Map<string, number>();
  const charges = new Map<string, BenchCharge>();
  /** Every nth key gets no response to its first request; none if it is 0. */
  const unanswered = { every: 0 };
  let asked = 0;
  const server = createServer((request, response) => {
    const key = String(request.headers['webhook-id']);
    request.resume().on('end', async () => {
      if (hanging !== '' && key.includes(`/${hanging}`)) return;
      let charge = charges.get(key);
      if (charge === undefined) {
        charge = { askedAt: performance.now(), paidAt: Number.NaN };
        charges.set(key, charge);
        asked += 1;
        if (unanswered.every > 0 && asked % unanswered.every === 0) return;
      }
      if (answerMs > 0) await pause(answerMs);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      if (Number.isNaN(charge.paidAt)) charge.paidAt = performance.now();
      response.setHeader('content-type', 'application/json');
      response.end('{"outcome":"paid"}');
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  const settings = {
    OPENTILL_PAYMENT_GATEWAY_URL: `http://127.0.0.1:${port}/`,
    OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  };
  return { settings, taken, charges, unanswered, [Symbol.asyncDispose]: close };
}
