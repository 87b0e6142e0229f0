// Caches the access token of a client: concurrent calls share one token request, and a rejected token is replaced.

/** Remaining lifetime below which the server issues a new token (the specification, "Authentication"). */
const renewBelowMs = 600_000;

/** Minimum interval between token requests while the cached token is valid, in case tokens are short-lived or requests fail. */
const requestIntervalMs = 10_000;

export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

export class AccessTokens {
  readonly #request: () => Promise<IssuedToken>;
  readonly #now: () => number;
  #token: string | undefined;
  #expiresAt = 0;
  #requestedAt = 0;
  #pending: Promise<string> | undefined;

  constructor(request: () => Promise<IssuedToken>, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** Returns the cached token if it is valid long enough, otherwise requests a new one. */
  get(): string | Promise<string> {
    const now = this.#now();
    const leftMs = this.#expiresAt - now;
    const isUsable = leftMs >= renewBelowMs || (leftMs > 0 && now < this.#requestedAt + requestIntervalMs);
    if (this.#token !== undefined && isUsable) return this.#token;
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  keep({ token, lifeMs }: IssuedToken): string {
    this.#requestedAt = this.#now();
    this.#expiresAt = this.#requestedAt + lifeMs;
    this.#token = token;
    return token;
  }

  /** Drops a rejected token, unless it was replaced in the meantime. */
  drop(token: string): void {
    if (token === this.#token) this.#token = undefined;
  }

  async #renew(): Promise<string> {
    try {
      return this.keep(await this.#request());
    } catch (error) {
      this.#requestedAt = this.#now();
      // A failed renewal does not fail calls while the cached token is valid.
      if (this.#token !== undefined && this.#expiresAt > this.#requestedAt) return this.#token;
      throw error;
    }
  }
}
