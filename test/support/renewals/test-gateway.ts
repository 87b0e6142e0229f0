// A payment gateway on a real socket that takes money once for each key, with faults that a test injects.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ChargeRequest } from '../../../packages/server/src/charging/gateways/payment-gateway.ts';
import { listenOnLoopback } from '../loopback.ts';

export const gatewaySecret = Buffer.alloc(32, 9);
export const gatewaySecretText = `whsec_${gatewaySecret.toString('base64')}`;

export type Outcome = 'paid' | 'declined' | 'declinedFinal' | 'pending';

export type Order = Omit<ChargeRequest, 'buyerId'>;

/** What happens to the response after the gateway has decided. */
export type Trouble =
  | 'none'
  | 'reset'
  /** The request is lost: nothing is decided. */
  | 'lostRequest'
  | { readonly status: number }
  /** The response waits for this promise. */
  | { readonly until: Promise<unknown> };

export interface Decision {
  readonly outcome: Outcome;
  readonly trouble?: Trouble;
}

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  /** All received requests, in order. */
  readonly orders: readonly Order[];
  /** How often money was taken, by key; more than once means that a key was not reused. */
  readonly taken: ReadonlyMap<string, number>;
  /** The same requests as received. */
  readonly requests: readonly { readonly headers: Record<string, string>; readonly body: string }[];
  /** Decides each request; `nth` counts those of the same key from 1. A settled key keeps its outcome. */
  decide(by: (order: Order, nth: number) => Decision | Promise<Decision>): void;
}

export async function startTestGateway(): Promise<TestGateway> {
  const orders: Order[] = [];
  const requests: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  const taken = new Map<string, number>();
  const settled = new Map<string, Outcome>();
  let decide = (_order: Order, _nth: number): Decision | Promise<Decision> => ({ outcome: 'paid' });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const order = JSON.parse(body) as Order;
    orders.push(order);
    requests.push({ headers: request.headers as Record<string, string>, body });
    const key = order.idempotencyKey;
    const nth = orders.filter(({ idempotencyKey }) => idempotencyKey === key).length;
    const { outcome: wanted, trouble = 'none' } = await decide(order, nth);
    if (trouble === 'lostRequest') return void request.socket.resetAndDestroy();
    const outcome = settled.get(key) ?? wanted;
    if (outcome === 'paid' && !settled.has(key)) taken.set(key, (taken.get(key) ?? 0) + 1);
    if (outcome !== 'pending') settled.set(key, outcome);
    await reply(response, outcome, trouble);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/charge`,
    orders,
    requests,
    taken,
    decide(by) {
      decide = by;
    },
    [Symbol.asyncDispose]: close,
  };
}

async function reply(response: ServerResponse, outcome: Outcome, trouble: Trouble): Promise<void> {
  if (trouble === 'reset') return void response.socket?.resetAndDestroy();
  if (typeof trouble === 'object' && 'status' in trouble)
    return void response.writeHead(trouble.status).end();
  if (typeof trouble === 'object') await trouble.until;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ outcome }));
}
