// Sends valid calls of the purchase API, with the changes that a check makes to them.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { type Answer, fieldsOf } from './answer.ts';
import type { Exchange, HttpCall } from './http-exchange.ts';
import { NotSettled } from './not-settled.ts';
import type { Machine } from './runtime/system.ts';
import type { ConformanceTarget } from './target.ts';

/** Changes to a valid token request; undefined removes a parameter. */
export interface TokenRequest {
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly contentType?: string;
  /** Replaces the form. */
  readonly body?: string;
}

interface PurchaseCall {
  /** Path parameters; packageName is that of the app by default. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Changes to a valid Authorization and Content-Type; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Replaces the method of the operation. */
  readonly method?: string;
}

/** Calls purchase endpoints with a token. */
export interface Caller {
  call(operation: PurchaseOperation, call?: PurchaseCall): Promise<Answer>;
}

export const formType = 'application/x-www-form-urlencoded';

/** Maximum number of retries after 429 or 503. */
const retriesMax = 3;
/** Longest Retry-After that is honored. */
const retryAfterMsMax = 10_000;
/** Wait for a response without Retry-After. */
const retryAfterMsDefault = 1_000;

const msPerSecond = 1_000;
const tooManyRequests = 429;
const unavailable = 503;

export interface Calls {
  /** @throws NoAnswer, or NotSettled if the server is overloaded */
  send(call: HttpCall): Promise<Answer>;
  requestToken(request?: TokenRequest): Promise<Answer>;
  callerWith(token: string): Caller;
  /** Uses the newest token, as a backend does. */
  readonly caller: Caller;
  /** Returns "" before the first token. */
  newestToken(): string;
}

interface CallsOptions {
  readonly exchange: Exchange;
  readonly target: ConformanceTarget;
  readonly machine: Machine;
  readonly signal: AbortSignal;
  /** Called with each token, so that the report can mask it. */
  readonly keepSecret: (secret: string) => void;
}

export function purchaseApiCalls({ exchange, target, machine, signal, keepSecret }: CallsOptions): Calls {
  const send = async (call: HttpCall): Promise<Answer> => {
    for (let retry = 0; ; retry += 1) {
      const answer = await exchange.send(call);
      if (answer.status !== tooManyRequests && answer.status !== unavailable) return answer;
      // A POST that got 503 may have been executed.
      const mayRepeat = answer.status === tooManyRequests || call.method === 'GET';
      if (!mayRepeat || retry === retriesMax) {
        throw new NotSettled(
          `The response to ${answer.call} was ${answer.status}: the server is overloaded.`,
        );
      }
      await machine.pause(retryAfterMs(answer), signal);
    }
  };
  let newest = '';
  const callerOf = (tokenOf: () => string): Caller => ({
    call: (operation, { path = {}, query = {}, headers = {}, method = operation.method } = {}) => {
      const values = { packageName: target.packageName, ...path };
      const good = { authorization: `Bearer ${tokenOf()}`, 'content-type': 'application/json' };
      const parameters = new URLSearchParams(query).toString();
      const fullPath = pathOf(operation, values) + (parameters === '' ? '' : `?${parameters}`);
      return send({ method, path: fullPath, headers: present({ ...good, ...headers }) });
    },
  });
  const requestToken = async ({ form = {}, contentType = formType, body }: TokenRequest = {}) => {
    const { clientId, clientSecret } = target;
    const good = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const answer = await send({
      method: getAccessToken.method,
      path: getAccessToken.path,
      headers: { 'content-type': contentType },
      body: body ?? new URLSearchParams(present({ ...good, ...form })).toString(),
    });
    const { access_token: token } = fieldsOf(answer);
    if (typeof token === 'string') {
      keepSecret(token);
      newest = token;
    }
    return answer;
  };
  const newestToken = (): string => newest;
  return {
    send,
    requestToken,
    callerWith: (token) => callerOf(() => token),
    caller: callerOf(newestToken),
    newestToken,
  };
}

export function pathOf(
  { path }: { readonly path: string },
  values: Readonly<Record<string, string>>,
): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const there = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Record<string, string>;
}

function retryAfterMs({ retryAfter }: Answer): number {
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * msPerSecond : retryAfterMsDefault;
  return Math.min(Math.max(ms, 0), retryAfterMsMax);
}
