// One call by HTTP: sent, timed, read, and made again where that is safe. What it is about is not known here.

import { baseUrl } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Problem } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';
import { alarm, realTiming, type Timing } from './timing.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What every client takes. */
export interface ConnectionOptions {
  /** The server: `iap.example.com`, or an address that begins with https://. */
  readonly host: string;
  /** Instead of the one of the runtime. */
  readonly fetch?: Fetch | undefined;
  /** How long one attempt of a call may take, in ms; 10,000 unless told otherwise. */
  readonly timeoutMs?: number | undefined;
  /** How often a call that failed is made again where that is safe; 2 unless told otherwise. */
  readonly retriesMax?: number | undefined;
  /** Lets secrets go over plain http to other machines. */
  readonly allowHttp?: boolean | undefined;
  /** Clock, waiting and chance, for tests. */
  readonly timing?: Timing | undefined;
}

/**
 * After which failures a call may be made again. `any`: whatever became of it, making it twice does no harm.
 * `told`: the server says so, by 429 or 503 with Retry-After. `unbegun`: by 429 alone, since only that says
 * that nothing was begun.
 */
type Repeat = 'any' | 'told' | 'unbegun';

/** A call as its operation describes it. */
export interface Call extends CallOptions {
  readonly operation: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly repeat: Repeat;
}

/** By whose right a call is made. */
export interface Authority {
  readonly headers: Readonly<Record<string, string>>;
  /** What must not get into an error, whoever answers with it. */
  readonly secrets: readonly string[];
}

/** All that a header can hold: anything else would be repeated by the text of a fault. */
export const visibleAscii = /^[!-~]+$/;

const defaultTimeoutMs = 10_000;
const defaultRetriesMax = 2;

/** Before the first repeat; each further one may wait twice as long, and chance takes up to half of it away. */
const firstPauseMs = 200;

/** A server that asks for a longer rest than this is not waited for. */
const pauseMaxMs = 30_000;

/** Of a message that came, or of a fault of the network, this much is told. */
const messageLengthMax = 500;

export class Connection {
  readonly timing: Timing;
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #retriesMax: number;

  constructor(options: ConnectionOptions) {
    this.#baseUrl = baseUrl(options.host, options.allowHttp ?? false);
    // A runtime's own fetch must not be called as a method of something else.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#retriesMax = options.retriesMax ?? defaultRetriesMax;
    this.timing = options.timing ?? realTiming;
  }

  /**
   * `wasOutcomeUnknown`: an attempt before this call may have done what it does.
   * @throws OpenTillError, or the reason of the signal.
   */
  async send(call: Call, authority: Authority, wasOutcomeUnknown = false): Promise<unknown> {
    let isOutcomeUnknown = wasOutcomeUnknown;
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#attempt(call, authority, isOutcomeUnknown);
      } catch (error) {
        if (!(error instanceof OpenTillError)) throw error;
        isOutcomeUnknown = error.isOutcomeUnknown;
        const pauseMs =
          repeats < this.#retriesMax ? this.#pauseBefore(error, call.repeat, repeats) : undefined;
        if (pauseMs === undefined) throw error;
        await this.timing.wait(pauseMs, call.signal);
      }
    }
  }

  async #attempt(call: Call, { headers, secrets }: Authority, wasOutcomeUnknown: boolean): Promise<unknown> {
    const { signal, timeoutMs = this.#timeoutMs } = call;
    const controller = new AbortController();
    const leave = (): void => controller.abort();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave);
    const callOff = alarm(timeoutMs, leave);
    try {
      const response = await this.#fetch(this.#baseUrl + call.path, {
        method: call.method,
        headers,
        body: call.body ?? null,
        // A secret follows no redirect.
        redirect: 'manual',
        signal: controller.signal,
      });
      const text = await response.text();
      if (response.ok) return readSuccess(call.operation, response, text);
      throw refusalOf(call.operation, { response, text, secrets, wasOutcomeUnknown, now: this.timing.now() });
    } catch (error) {
      if (error instanceof OpenTillError) throw error;
      signal?.throwIfAborted();
      const reason = controller.signal.aborted
        ? `no answer within ${timeoutMs} ms`
        : `no answer: ${reasonOf(error)}`;
      throw new OpenTillError(call.operation, hide(reason, secrets).slice(0, messageLengthMax), {
        isOutcomeUnknown: true,
      });
    } finally {
      callOff();
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Undefined: the call is not made again. */
  #pauseBefore(error: OpenTillError, repeat: Repeat, repeats: number): number | undefined {
    const { httpStatus, retryAfterMs } = error;
    const isTold =
      retryAfterMs !== undefined && (httpStatus === 429 || (httpStatus === 503 && repeat !== 'unbegun'));
    const isSafe =
      repeat === 'any' && (httpStatus === undefined || /^(?:408|429|50[0234])$/.test(`${httpStatus}`));
    const restMs = retryAfterMs ?? 0;
    if ((!isTold && !isSafe) || restMs > pauseMaxMs) return undefined;
    const grownMs = Math.min(firstPauseMs * 2 ** repeats, pauseMaxMs);
    return Math.max(restMs, grownMs / 2) + (this.timing.random() * grownMs) / 2;
  }
}

function readSuccess(operation: string, { status, headers }: Response, text: string): unknown {
  if (status === 204) return undefined;
  const body = parsed(text);
  if (body !== undefined) return body;
  throw new OpenTillError(operation, `HTTP ${status} with an answer that is no JSON`, {
    httpStatus: status,
    requestId: headers.get('x-request-id') ?? undefined,
    isOutcomeUnknown: true,
  });
}

interface CameRefusal {
  readonly response: Response;
  readonly text: string;
  readonly secrets: readonly string[];
  readonly wasOutcomeUnknown: boolean;
  readonly now: number;
}

function refusalOf(
  operation: string,
  { response: { status, headers }, text, secrets, wasOutcomeUnknown, now }: CameRefusal,
): OpenTillError {
  const hidden = (_: string, value: unknown) => (typeof value === 'string' ? hide(value, secrets) : value);
  const { code, message, problem } = errorOf(parsed(text, hidden));
  const words = message?.slice(0, messageLengthMax) ?? 'an answer that is not from the server itself';
  return new OpenTillError(operation, `${words} (${code === undefined ? '' : `${code}, `}HTTP ${status})`, {
    httpStatus: status,
    requestId: headers.get('x-request-id') ?? undefined,
    isOutcomeUnknown: wasOutcomeUnknown || status >= 500,
    code,
    problem,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), now),
  });
}

function parsed(text: string, reviver?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Either shape of an error: `{error: {code, message}}`, or problem details. */
function errorOf(body: unknown): { code?: number; message?: string; problem?: Problem } {
  const { error, type, detail } = (body ?? {}) as { error?: unknown; type?: unknown; detail?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof message === 'string' && { message }),
    ...(typeof type === 'string' &&
      typeof detail === 'string' && { message: detail, problem: body as Problem }),
  };
}

/** Seconds, or a date. */
function retryAfterMs(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** What the runtime says of a call that found no answer: `fetch failed: connect ECONNREFUSED 127.0.0.1:8080`. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: unknown; code?: unknown; cause?: unknown };
  const words = String(message || code || error);
  return cause instanceof Error ? `${words}: ${reasonOf(cause)}` : words;
}

/** Also as JSON or a form write them. */
function hide(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap((secret) => [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret,
  ]);
  return written.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
