// Sends HTTP requests unchanged, without following redirects and with limits. Knows nothing of the purchase API.

import { Client } from 'undici';
import type { HttpResponse } from './http-response.ts';
import type { ConformanceTarget } from './target.ts';
import { Inconclusive, NoResponse } from './verdict.ts';

/** Longest response body; a page of 999 voided purchases is smaller. */
const responseBytesMax = 1_048_576;

export interface HttpCall {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** @throws NoResponse, Inconclusive if no call has reached the server yet, or the reason of the signal */
export type Exchange = (call: HttpCall) => Promise<HttpResponse>;

/** The signal aborts calls in flight. */
export function openExchange(
  { origin, ca }: Pick<ConformanceTarget, 'origin' | 'ca'>,
  { callTimeoutMs, signal }: { readonly callTimeoutMs: number; readonly signal: AbortSignal },
): Exchange {
  let isReached = false;
  return async ({ method, path, headers, body = null }) => {
    // Each call has its own connection: if a reused one closed, it would be unknown whether the call was executed.
    const client = new Client(origin, {
      pipelining: 0,
      maxResponseSize: responseBytesMax,
      // One deadline covers the whole call.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      connect: { timeout: 0, ...(ca !== undefined && { ca }) },
    });
    client.once('connect', () => {
      isReached = true;
    });
    signal.throwIfAborted();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
    // The signal of a request does not end a connection attempt.
    deadline.addEventListener('abort', () => client.destroy(deadline.reason));
    const call = `${method} ${path}`;
    try {
      const response = await client.request({ method, path, headers, body });
      const text = Buffer.from(await response.body.arrayBuffer()).toString('utf8');
      const { statusCode: status, headers: received } = response;
      const header = (name: string) => received[name]?.toString();
      const [contentType, retryAfter] = [header('content-type'), header('retry-after')];
      return { call, status, contentType, retryAfter, text, body: parsed(text) };
    } catch (error) {
      signal.throwIfAborted();
      const { message, code } = error as NodeJS.ErrnoException;
      const because = deadline.aborted ? `timeout after ${callTimeoutMs} ms` : message || code;
      throw new (isReached ? NoResponse : Inconclusive)(`${call} got no response: ${because}.`);
    } finally {
      await client.destroy();
    }
  };
}

/** Ignores Content-Type, which is specified only for the token endpoint. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
