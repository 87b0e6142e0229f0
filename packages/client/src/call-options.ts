// What every call takes besides its parameters.

export interface CallOptions {
  /** Ends the call, with its repeats: it then fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, in ms, instead of what the client was made with. */
  readonly timeoutMs?: number | undefined;
}
