// Sends the calls of an app with its access token, and retries once with a new token after a 401.

import { AccessTokens, type IssuedToken } from './access-tokens.ts';
import type { CallOptions } from './call-options.ts';
import {
  type Call,
  Connection,
  type ConnectionOptions,
  type Credentials,
  visibleAscii,
} from './connection.ts';
import type { AccessTokenResponse } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';
import { purchaseCalls } from './operation-calls.ts';
import type { OperationCall } from './operation-methods.ts';
import { within } from './timing.ts';

/** The server and the credentials of an app. */
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
    if (!clientId || !clientSecret)
      throw new TypeError('clientId, clientSecret: expected the credentials of an app');
    if (clientSecret !== clientSecret.trim())
      throw new TypeError('clientSecret: expected no space or line break before or after it');
    this.#connection = new Connection(options);
    this.#clientSecret = clientSecret;
    const parameters = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    this.#form = new URLSearchParams(parameters).toString();
    this.#tokens = new AccessTokens(
      async () => issuedToken(await this.#requestToken()),
      () => this.#connection.timing.now(),
    );
  }

  /** Requests a token, which later calls use. */
  async getAccessToken(options: CallOptions): Promise<AccessTokenResponse> {
    const response = await this.#requestToken(options);
    this.#tokens.keep(issuedToken(response));
    return response;
  }

  /** @throws OpenTillError for a client secret that no header can carry, if the call needs it */
  async send(call: Call, needs: Pick<OperationCall, 'needsClientSecret'> = {}): Promise<unknown> {
    const needsSecret = needs.needsClientSecret === true;
    if (needsSecret && !visibleAscii.test(this.#clientSecret)) {
      throw new OpenTillError(call.operation, 'clientSecret: expected visible ASCII characters');
    }

    const known = this.#tokens.get();
    const token = typeof known === 'string' ? known : await within(known, call.signal);
    try {
      return await this.#connection.send(call, this.#credentialsOf(token, needsSecret));
    } catch (error) {
      if (!(error instanceof OpenTillError) || error.httpStatus !== 401) throw error;
      this.#tokens.drop(token);
      // An aborted call does not abort the token request that other calls wait for.
      const newToken = await within(Promise.resolve(this.#tokens.get()), call.signal);
      return this.#connection.send(call, this.#credentialsOf(newToken, needsSecret), error.isOutcomeUnknown);
    }
  }

  #credentialsOf(token: string, needsSecret: boolean): Credentials {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(needsSecret && { 'x-client-secret': this.#clientSecret }),
    };
    return { headers, secrets: [token, this.#clientSecret] };
  }

  async #requestToken(options: CallOptions = {}): Promise<AccessTokenResponse> {
    const { method, path } = purchaseCalls.getAccessToken;
    const response = await this.#connection.send(
      { ...options, operation, method, path, body: this.#form, retry: 'idempotent' },
      {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        secrets: [this.#clientSecret],
      },
    );
    return response as AccessTokenResponse;
  }
}

function issuedToken({ access_token: token, expires_in: seconds }: AccessTokenResponse): IssuedToken {
  if (typeof token !== 'string' || !visibleAscii.test(token) || !(seconds >= 0)) {
    throw new OpenTillError(operation, 'the response has no valid token');
  }
  return { token, lifeMs: seconds * 1000 };
}
