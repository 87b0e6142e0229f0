// A real server for tests of the clients, with apps, recorded calls and a clock that the tests control.

import { expect } from 'vitest';
import { contractFetch } from '../../../test/support/contract-fetch.ts';
import { adminKey, startTestServer, type TestServer } from '../../../test/support/harness.ts';
import { DeveloperClient } from '../src/developer-client.ts';
import { OpenTillError } from '../src/opentill-error.ts';
import { OperatorClient } from '../src/operator-client.ts';
import { PurchaseClient, type PurchaseClientOptions } from '../src/purchase-client.ts';
import type { Fetch } from '../src/runtime-fetch.ts';
import type { Timing } from '../src/timing.ts';

export interface ClientStage extends AsyncDisposable {
  readonly server: TestServer;
  readonly operator: OperatorClient;
  /** Creates an app with the products `coins` and `monthly`. */
  createApp(options?: Partial<PurchaseClientOptions>): Promise<StagedApp>;
}

export interface StagedApp {
  readonly options: PurchaseClientOptions;
  readonly client: PurchaseClient;
  readonly sandbox: DeveloperClient;
  /** The operations that `client` has called so far, including token requests. */
  readonly called: string[];
  /** The pauses that `client` has made so far, in ms. */
  readonly pauses: number[];
}

/** The part of a path that identifies the operation. */
const word = /^\/v2\/(?:purchase\/([\w-]+)|oauth\/(token))/;

function watched(fetch: Fetch, called: string[]): Fetch {
  return (url, init) => {
    const [, operation, token] = word.exec(new URL(url).pathname) ?? [];
    called.push(token ?? operation ?? url);
    return fetch(url, init);
  };
}

/** Uses the clock of the server; pauses end at once and always have the maximum jitter. */
export function testTiming(clock: { now(): number }, pauses: number[]): Timing {
  return {
    now: () => clock.now(),
    async wait(ms, signal) {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
    random: () => 1,
  };
}

export async function startClientStage(): Promise<ClientStage> {
  const server = await startTestServer();
  const operator = new OperatorClient({
    host: server.operatorUrl,
    operatorKey: adminKey,
    fetch: contractFetch,
  });
  return {
    server,
    operator,
    async createApp(given = {}) {
      const packageName = `com.example.${crypto.randomUUID()}`;
      const { clientId, clientSecret } = await operator.createApp({ packageName });
      const product = { price: 499, currency: 'EUR' };
      await operator.putProduct({ packageName, productId: 'coins', type: 'oneTime', ...product });
      await operator.putProduct({ packageName, productId: 'monthly', type: 'subscription', ...product });
      const [called, pauses] = [[] as string[], [] as number[]];
      const options: PurchaseClientOptions = {
        host: server.publicUrl,
        environment: 'sandbox',
        clientId,
        clientSecret,
        packageName,
        timing: testTiming(server.clock, pauses),
        fetch: contractFetch,
        ...given,
      };
      const fetch = watched(options.fetch ?? contractFetch, called);
      const client = new PurchaseClient({ ...options, fetch });
      return { options, client, sandbox: new DeveloperClient(options), called, pauses };
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Returns the error of a call that has to fail. */
export async function errorOf(call: Promise<unknown>): Promise<OpenTillError> {
  const error = await call.then(
    (response) => expect.fail(`It responded with ${JSON.stringify(response)}.`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenTillError);
  return error as OpenTillError;
}
