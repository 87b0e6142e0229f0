// The calls of an app: with its access token, which is asked for anew, once, when a call says that it is refused.

import { AccessTokens, type IssuedToken } from './access-tokens.ts';
import type { CallOptions } from './call-options.ts';
import { type Authority, type Call, Connection, type ConnectionOptions, visibleAscii } from './connection.ts';
import type { AccessTokenResponse } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';
import { within } from './timing.ts';

/** Who calls, and where. */
export interface AppOptions extends ConnectionOptions {
  readonly clientId: string;
  readonly clientSecret: string;
}

const operation = 'getAccessToken';

export class AppConnection {
  readonly #connection: Connection;
  readonly #tokens: AccessTokens;
  readonly #form: string;
  readonly #clientSecret: string;

  constructor({ clientId, clientSecret, ...options }: AppOptions) {
    if (!clientId || !clientSecret) throw new TypeError('clientId, clientSecret: expected those of an app');
    this.#connection = new Connection(options);
    this.#clientSecret = clientSecret;
    const parameters = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    this.#form = new URLSearchParams(parameters).toString();
    this.#tokens = new AccessTokens(
      async () => issuedToken(await this.#askForToken()),
      () => this.#connection.timing.now(),
    );
  }

  get now(): number {
    return this.#connection.timing.now();
  }

  /** Asks the token endpoint; what it answers is the token of the calls that follow. */
  async getAccessToken(options: CallOptions): Promise<AccessTokenResponse> {
    const answer = await this.#askForToken(options);
    this.#tokens.keep(issuedToken(answer));
    return answer;
  }

  async send(call: Call): Promise<unknown> {
    const known = this.#tokens.get();
    const token = typeof known === 'string' ? known : await within(known, call.signal);
    try {
      return await this.#connection.send(call, this.#authorityOf(token));
    } catch (error) {
      if (!(error instanceof OpenTillError) || error.httpStatus !== 401) throw error;
      this.#tokens.drop(token);
      // The one who gives up waiting does not end the request that others wait for.
      const newToken = await within(Promise.resolve(this.#tokens.get()), call.signal);
      return this.#connection.send(call, this.#authorityOf(newToken), error.isOutcomeUnknown);
    }
  }

  #authorityOf(token: string): Authority {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return { headers, secrets: [token, this.#clientSecret] };
  }

  async #askForToken(options: CallOptions = {}): Promise<AccessTokenResponse> {
    const path = '/v2/oauth/token';
    const answer = await this.#connection.send(
      { ...options, operation, method: 'POST', path, body: this.#form, repeat: 'any' },
      {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        secrets: [this.#clientSecret],
      },
    );
    return answer as AccessTokenResponse;
  }
}

function issuedToken({ access_token: token, expires_in: seconds }: AccessTokenResponse): IssuedToken {
  if (typeof token !== 'string' || !visibleAscii.test(token) || !(seconds >= 0)) {
    throw new OpenTillError(operation, 'an answer without a token');
  }
  return { token, lifeMs: seconds * 1000 };
}
