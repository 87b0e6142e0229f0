// The options of every call.

export interface CallOptions {
  /** Aborts the call and its retries; the call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt in ms, instead of that of the client. */
  readonly timeoutMs?: number | undefined;
}
