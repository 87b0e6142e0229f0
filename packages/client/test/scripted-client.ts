// A client whose responses are scripted by the test, in an order or with contents that a real server does not produce.

import { PurchaseClient, type PurchaseClientOptions } from '../src/index.ts';
import { testTiming } from './client-stage.ts';

export type ScriptedResponse = () => Response | Promise<Response>;

interface ScriptedClient {
  readonly client: PurchaseClient;
  /** The remaining responses, the next one first. */
  responses: ScriptedResponse[];
  /** The Authorization header of each call so far, or `token` for a token request. */
  sent: string[];
  now: number;
}

export function scriptedClient(options: Partial<PurchaseClientOptions> = {}): ScriptedClient {
  const fetch = async (url: string, { headers }: RequestInit): Promise<Response> => {
    const { authorization } = headers as { authorization?: string };
    scripted.sent.push(authorization ?? 'token');
    const response = scripted.responses.shift();
    if (response === undefined) throw new Error(`No response is scripted for ${url}.`);
    return response();
  };
  const client = new PurchaseClient({
    host: 'iap.example.com',
    packageName: 'com.example.game',
    clientId: 'an-app',
    clientSecret: 'a-secret-of-the-app',
    timing: testTiming({ now: () => scripted.now }, []),
    fetch,
    ...options,
  });
  const scripted: ScriptedClient = { client, responses: [], sent: [], now: Date.UTC(2026, 2, 15, 12) };
  return scripted;
}

export function token(name: string, seconds = 3_600): ScriptedResponse {
  return () => Response.json({ access_token: name, expires_in: seconds });
}

export function refusal(
  status: number,
  code: number,
  headers: Record<string, string> = {},
): ScriptedResponse {
  return () => Response.json({ error: { code, message: 'no' } }, { status, headers });
}

/** A page of the voided list. */
export const empty: ScriptedResponse = () => Response.json({ voidedPurchaseList: [] });

/** A response that is delayed until `give` is called. */
export function heldResponse(): {
  readonly response: ScriptedResponse;
  readonly give: (given: ScriptedResponse) => Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<Response>();
  return { response: () => promise, give: async (given) => resolve(await given()) };
}
