// Calls of the purchase API: what every call has in common, and what a check makes different about it.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { type Answer, fieldsOf } from './answer.ts';
import type { Exchange, HttpCall } from './http-exchange.ts';
import { NotSettled } from './not-settled.ts';
import type { Machine } from './runtime/system.ts';
import type { ConformanceTarget } from './target.ts';

/** On top of a good token request; undefined takes a parameter away. */
export interface TokenRequest {
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly contentType?: string;
  /** In place of the form. */
  readonly body?: string;
}

interface PurchaseCall {
  /** Values of the path; packageName is the app's unless given. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** On top of a good Authorization and Content-Type; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** In place of the operation's own. */
  readonly method?: string;
}

/** Calls purchase endpoints with a token. */
export interface Caller {
  call(operation: PurchaseOperation, call?: PurchaseCall): Promise<Answer>;
}

export const formType = 'application/x-www-form-urlencoded';

/** Answers that tell to come again later are taken at their word so many times, */
const retriesMax = 3;
/** for at most so long, */
const retryAfterMsMax = 10_000;
/** and for so long where they do not say. */
const retryAfterMsDefault = 1_000;

const msPerSecond = 1_000;
const tooManyRequests = 429;
const unavailable = 503;

export interface Calls {
  /** @throws NoAnswer, and NotSettled when the server has no time for it. */
  send(call: HttpCall): Promise<Answer>;
  requestToken(request?: TokenRequest): Promise<Answer>;
  callerWith(token: string): Caller;
  /** Uses the newest token that came, as a backend does. */
  readonly caller: Caller;
  /** "" until one has come. */
  newestToken(): string;
}

interface CallsOptions {
  readonly exchange: Exchange;
  readonly target: ConformanceTarget;
  readonly machine: Machine;
  readonly signal: AbortSignal;
  /** Is told each token that comes, so that it stays out of the report. */
  readonly keepSecret: (secret: string) => void;
}

export function purchaseApiCalls({ exchange, target, machine, signal, keepSecret }: CallsOptions): Calls {
  const send = async (call: HttpCall): Promise<Answer> => {
    for (let retry = 0; ; retry += 1) {
      const answer = await exchange.send(call);
      if (answer.status !== tooManyRequests && answer.status !== unavailable) return answer;
      // A POST that was told 503 may have been carried out.
      const mayRepeat = answer.status === tooManyRequests || call.method === 'GET';
      if (!mayRepeat || retry === retriesMax) {
        throw new NotSettled(`${answer.call} was answered ${answer.status}: the server has no time for it.`);
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
