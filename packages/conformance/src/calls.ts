// Sends valid calls of an API, with the changes that a check makes to them.

import { purchaseOperations } from '@opentill/contract/operations.ts';
import type { Exchange, HttpCall } from './http-exchange.ts';
import { fieldsOf, type HttpResponse } from './http-response.ts';
import type { Machine } from './runtime/system.ts';
import type { ConformanceTarget } from './target.ts';
import { inconclusive } from './verdict.ts';

export type OperationName = (typeof purchaseOperations)[number]['operationId'];

/** The operations of the purchase API by name. */
export const operations = Object.fromEntries(
  purchaseOperations.map((operation) => [operation.operationId, operation]),
) as Readonly<Record<OperationName, (typeof purchaseOperations)[number]>>;

/** Values by name; undefined removes one. */
type Changes = Readonly<Record<string, string | undefined>>;

/** Changes to a valid token request. */
export interface TokenRequest {
  readonly form?: Changes;
  readonly contentType?: string;
}

type Operation = Pick<HttpCall, 'method' | 'path'>;

interface CallChanges {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Changes;
  readonly method?: string;
  /** Replaces the newest token. */
  readonly token?: string;
  readonly body?: object;
}

export interface Calls {
  requestToken(request?: TokenRequest): Promise<HttpResponse>;
  /** Calls an operation, of the purchase API by name. Path parameters are given by name; packageName is that of the app by default. */
  call(operation: OperationName | Operation, path?: Changes, changes?: CallChanges): Promise<HttpResponse>;
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

export const formType = 'application/x-www-form-urlencoded';

/** Maximum number of retries after 429 or 503. */
const retriesMax = 3;
/** Longest Retry-After that is honored. */
const retryAfterMsMax = 10_000;
/** Wait for a response without Retry-After. */
const retryAfterMsDefault = 1_000;

/** Each method throws NoResponse, or Inconclusive if the server was never reached or is overloaded. */
export function openCalls({ exchange, target, machine, signal, keepSecret }: CallsOptions): Calls {
  const { packageName, clientId, clientSecret } = target;
  let newest = '';
  const send = async (call: HttpCall): Promise<HttpResponse> => {
    for (let retry = 0; ; retry += 1) {
      const response = await exchange(call);
      if (response.status !== 429 && response.status !== 503) return response;
      // A POST that got 503 may have been executed.
      const mayRepeat = response.status === 429 || call.method === 'GET';
      if (!mayRepeat || retry === retriesMax) {
        inconclusive(`The response to ${response.call} was ${response.status}: the server is overloaded.`);
      }
      await machine.pause(retryAfterMs(response), signal);
    }
  };
  return {
    requestToken: async ({ form, contentType = formType } = {}) => {
      const good = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const response = await send({
        method: operations.getAccessToken.method,
        path: operations.getAccessToken.path,
        headers: { 'content-type': contentType },
        body: new URLSearchParams(present({ ...good, ...form })).toString(),
      });
      const { access_token: token } = fieldsOf(response);
      if (typeof token === 'string') {
        keepSecret(token);
        newest = token;
      }
      return response;
    },
    call: (called, path, { query = {}, headers, method, token = newest, body } = {}) => {
      const operation: Operation = typeof called === 'string' ? operations[called] : called;
      const values: Changes = { packageName, ...path };
      const filled = operation.path.replaceAll(/:(\w+)/g, (_, name) =>
        encodeURIComponent(values[name] ?? ''),
      );
      const parameters = new URLSearchParams(query as Record<string, string>).toString();
      const good = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return send({
        method: method ?? operation.method,
        path: parameters === '' ? filled : `${filled}?${parameters}`,
        headers: present({ ...good, ...headers }),
        body: body && JSON.stringify(body),
      });
    },
    newestToken: () => newest,
  };
}

function present(values: Changes): Record<string, string> {
  const there = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Record<string, string>;
}

function retryAfterMs({ retryAfter }: HttpResponse): number {
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : retryAfterMsDefault;
  return Math.min(Math.max(ms, 0), retryAfterMsMax);
}
