// Sends HTTP calls with a timeout and retries them where that is safe. Knows nothing of operations.

import { baseUrl } from './base-url.ts';
import type { CallOptions } from './call-options.ts';
import type { Problem } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';
import { type Fetch, runtimeFetch } from './runtime-fetch.ts';
import { alarm, realTiming, type Timing } from './timing.ts';

/** The options of every client. */
export interface ConnectionOptions {
  /** The server: `iap.example.com`, or a URL that starts with https://. */
  readonly host: string;
  /** Replaces the fetch of the runtime. */
  readonly fetch?: Fetch | undefined;
  /** Timeout of one attempt in ms; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a failed call where retrying is safe; 2 by default. */
  readonly retriesMax?: number | undefined;
  /** Allows plain http to other machines, which sends secrets unencrypted. */
  readonly allowHttp?: boolean | undefined;
  /** Replaces clock, timers and randomness in tests. */
  readonly timing?: Timing | undefined;
}

/**
 * When a failed call is retried. `idempotent`: after any transient failure. `whenAsked`: after 429 or 503 with
 * Retry-After. `whenLimited`: only after 429 with Retry-After, because then nothing was executed.
 */
type RetryRule = 'idempotent' | 'whenAsked' | 'whenLimited';

/** One call of an operation. */
export interface Call extends CallOptions {
  readonly operation: string;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly retry: RetryRule;
}

/** The credentials of a call. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Replaced by *** in every error, even if a response repeats them. */
  readonly secrets: readonly string[];
}

/** The characters allowed in a header value; an error for any other would include the value. */
export const visibleAscii = /^[!-~]+$/;

const defaultTimeoutMs = 10_000;
const defaultRetriesMax = 2;

/** Backoff before the first retry; it doubles with each retry, with up to half of it as jitter. */
const firstBackoffMs = 200;

/** A call is not retried if Retry-After is longer than this. */
const backoffMaxMs = 30_000;

/** Longest message of a response or a network error that is kept. */
const messageLengthMax = 500;

export class Connection {
  readonly timing: Timing;
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #retriesMax: number;

  constructor(options: ConnectionOptions) {
    this.#baseUrl = baseUrl(options.host, options.allowHttp ?? false);
    this.#fetch = options.fetch ?? runtimeFetch(this.#baseUrl);
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#retriesMax = options.retriesMax ?? defaultRetriesMax;
    this.timing = options.timing ?? realTiming;
  }

  /**
   * `wasOutcomeUnknown` means that an earlier attempt may have succeeded.
   * @throws OpenTillError, or the reason of the signal
   */
  async send(call: Call, credentials: Credentials, wasOutcomeUnknown = false): Promise<unknown> {
    let isOutcomeUnknown = wasOutcomeUnknown;
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#attempt(call, credentials, isOutcomeUnknown);
      } catch (error) {
        if (!(error instanceof OpenTillError)) throw error;
        isOutcomeUnknown = error.isOutcomeUnknown;
        const backoffMs =
          retries < this.#retriesMax ? this.#backoffAfter(error, call.retry, retries) : undefined;
        if (backoffMs === undefined) throw error;
        await this.timing.wait(backoffMs, call.signal);
      }
    }
  }

  async #attempt(
    call: Call,
    { headers, secrets }: Credentials,
    wasOutcomeUnknown: boolean,
  ): Promise<unknown> {
    const { signal, timeoutMs = this.#timeoutMs } = call;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort);
    const clearAlarm = alarm(timeoutMs, abort);
    try {
      const response = await this.#fetch(this.#baseUrl + call.path, {
        method: call.method,
        headers,
        body: call.body ?? null,
        // A redirect must not receive the secrets.
        redirect: 'manual',
        signal: controller.signal,
      });
      const text = await response.text();
      if (response.ok) return readSuccess(call.operation, response, text);
      throw errorFrom(call.operation, { response, text, secrets, wasOutcomeUnknown, now: this.timing.now() });
    } catch (error) {
      if (error instanceof OpenTillError) throw error;
      signal?.throwIfAborted();
      const reason = controller.signal.aborted
        ? `no response within ${timeoutMs} ms`
        : `no response: ${reasonOf(error)}`;
      throw new OpenTillError(call.operation, hide(reason, secrets).slice(0, messageLengthMax), {
        isOutcomeUnknown: true,
      });
    } finally {
      clearAlarm();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Returns undefined if the call must not be retried. */
  #backoffAfter(error: OpenTillError, retry: RetryRule, retries: number): number | undefined {
    const { httpStatus, retryAfterMs = 0 } = error;
    const isAsked =
      error.retryAfterMs !== undefined &&
      (httpStatus === 429 || (httpStatus === 503 && retry !== 'whenLimited'));
    const isSafe =
      retry === 'idempotent' && (httpStatus === undefined || /^(?:408|429|50[0234])$/.test(`${httpStatus}`));
    if ((!isAsked && !isSafe) || retryAfterMs > backoffMaxMs) return undefined;
    const backoffMs = Math.min(firstBackoffMs * 2 ** retries, backoffMaxMs);
    return Math.max(retryAfterMs, backoffMs / 2) + (this.timing.random() * backoffMs) / 2;
  }
}

function readSuccess(operation: string, { status, headers }: Response, text: string): unknown {
  if (status === 204) return undefined;
  const body = parsed(text);
  if (body !== undefined) return body;
  throw new OpenTillError(operation, `HTTP ${status} with a response that is not valid JSON`, {
    httpStatus: status,
    requestId: headers.get('x-request-id') ?? undefined,
    isOutcomeUnknown: true,
  });
}

interface ErrorResponse {
  readonly response: Response;
  readonly text: string;
  readonly secrets: readonly string[];
  readonly wasOutcomeUnknown: boolean;
  readonly now: number;
}

function errorFrom(
  operation: string,
  { response: { status, headers }, text, secrets, wasOutcomeUnknown, now }: ErrorResponse,
): OpenTillError {
  const hidden = (_: string, value: unknown) => (typeof value === 'string' ? hide(value, secrets) : value);
  const { code, message, problem } = errorOf(parsed(text, hidden));
  const words = message?.slice(0, messageLengthMax) ?? 'an unknown error response';
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

/** Reads either format of an error: `{error: {code, message}}` or problem details. */
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

/** Each form of a date in RFC 9110; all are in GMT, although the last one does not say so. */
const httpDate = /^(?:[A-Z]\w+, \d\d[ -]\w{3}[ -]\d+ \S+ GMT|[A-Z]\w\w \w{3} [ \d]\d \S+ \d{4})$/;

/** Reads a Retry-After, which is a number of seconds, even a fraction, or a date; undefined for anything else. */
function retryAfterMs(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Without this test, Date.parse reads almost any text with a number as a date.
  const date = httpDate.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Joins an error and its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:8080`. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: unknown; code?: unknown; cause?: unknown };
  const words = String(message || code || error);
  return cause instanceof Error ? `${words}: ${reasonOf(cause)}` : words;
}

/** Masks secrets, including their JSON and form encodings. */
function hide(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap((secret) => [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret,
  ]);
  return written.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
