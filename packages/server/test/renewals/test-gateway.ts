// A payment gateway on a real socket that takes money once for each key, with faults that a test injects.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.ts';

export const gatewaySecret = Buffer.alloc(32, 9);
export const gatewaySecretText = `whsec_${gatewaySecret.toString('base64')}`;

export type Outcome = 'paid' | 'declined' | 'declined_final' | 'pending';

export interface Order {
  readonly idempotencyKey: string;
  readonly packageName: string;
  readonly productId: string;
  readonly firstPurchaseId: string;
  readonly buyerId?: string;
  readonly developerPayload: string;
  readonly periodIndex: number;
  readonly attempt: number;
  readonly price: number;
  readonly currency: string;
  readonly startTime: number;
}

/** What happens to the response after the gateway has decided. */
export type Trouble =
  | 'none'
  /** The connection stays open without a response. */
  | 'silence'
  | 'reset'
  /** The request is lost: nothing is decided. */
  | 'lostRequest'
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
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
  readonly badSignatures: number;
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
  const state = {
    badSignatures: 0,
    decide: (_order: Order, _nth: number): Decision | Promise<Decision> => ({ outcome: 'paid' }),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (!isSigned(request, body)) state.badSignatures += 1;
    const order = JSON.parse(body) as Order;
    orders.push(order);
    requests.push({ headers: request.headers as Record<string, string>, body });
    const key = order.idempotencyKey;
    const nth = orders.filter(({ idempotencyKey }) => idempotencyKey === key).length;
    const { outcome: wanted, trouble = 'none' } = await state.decide(order, nth);
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
    get badSignatures() {
      return state.badSignatures;
    },
    decide(by) {
      state.decide = by;
    },
    [Symbol.asyncDispose]: close,
  };
}

function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', gatewaySecret).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${expected}`;
}

async function reply(response: ServerResponse, outcome: Outcome, trouble: Trouble): Promise<void> {
  if (trouble === 'silence') return;
  if (trouble === 'reset') return void response.socket?.resetAndDestroy();
  if (typeof trouble === 'object' && 'status' in trouble) {
    response.writeHead(trouble.status, trouble.headers ?? {}).end(trouble.body ?? '');
    return;
  }
  if (typeof trouble === 'object') await trouble.until;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ outcome }));
}
