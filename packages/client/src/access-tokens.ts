// The access token that a client holds: asked for once however many calls wait for it, kept while it is good for
// a while, asked for again when it was refused.

/** With fewer ms left than this the server issues another one (the specification, "Authentication"). */
const renewBelowMs = 600_000;

/**
 * While the token in hand is still good, the token endpoint is asked no more often than this: what it gave may
 * be short-lived, and what it failed with may pass.
 */
const askAgainAfterMs = 10_000;

export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

export class AccessTokens {
  readonly #ask: () => Promise<IssuedToken>;
  readonly #now: () => number;
  #token: string | undefined;
  #expiresAt = 0;
  #askedAt = 0;
  #asking: Promise<string> | undefined;

  constructor(ask: () => Promise<IssuedToken>, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  /** At once while there is a good one. */
  get(): string | Promise<string> {
    const now = this.#now();
    const leftMs = this.#expiresAt - now;
    const isGood = leftMs >= renewBelowMs || (leftMs > 0 && now < this.#askedAt + askAgainAfterMs);
    if (this.#token !== undefined && isGood) return this.#token;
    this.#asking ??= this.#renewed().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  keep({ token, lifeMs }: IssuedToken): string {
    this.#askedAt = this.#now();
    this.#expiresAt = this.#askedAt + lifeMs;
    this.#token = token;
    return token;
  }

  /** Forgets a token that was refused, unless another one has come meanwhile. */
  drop(token: string): void {
    if (token === this.#token) this.#token = undefined;
  }

  async #renewed(): Promise<string> {
    try {
      return this.keep(await this.#ask());
    } catch (error) {
      this.#askedAt = this.#now();
      // What a good token allows does not fail because the token endpoint does.
      if (this.#token !== undefined && this.#expiresAt > this.#askedAt) return this.#token;
      throw error;
    }
  }
}
