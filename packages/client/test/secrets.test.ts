// Client secrets, tokens and operator keys are in no error, whatever fails, and in no printed client.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { contractFetch } from '../../../test/support/contract-fetch.ts';
import { useForFile } from '../../../test/support/harness.ts';
import { DeveloperClient } from '../src/developer-client.ts';
import { PurchaseClient } from '../src/index.ts';
import { OperatorClient } from '../src/operator-client.ts';
import { errorOf, startClientStage } from './client-stage.ts';

const stage = await useForFile(startClientStage());
const app = await stage.createApp();

/** Everything that a log could print of a value. */
function shown(value: unknown): string {
  const texts = [inspect(value, { showHidden: true, depth: null, getters: true }), JSON.stringify(value)];
  if (value instanceof Error)
    texts.push(String(value), value.message, String(value.stack), inspect(value.cause));
  return texts.join('\n');
}

/** Servers and networks that repeat the request. */
const gossips: Readonly<Record<string, (sent: string, init: RequestInit) => Promise<Response>>> = {
  'in an error of the purchase API': async (sent) =>
    Response.json({ error: { code: 400, message: `${sent} is wrong` } }, { status: 400 }),
  'in problem details': async (sent) =>
    Response.json({ type: 'a', detail: sent, errors: [{ path: 'a', message: sent }] }, { status: 400 }),
  'in a page of a proxy': async (sent) => new Response(`<p>${sent}`, { status: 502 }),
  'in an invalid success response': async (sent) => new Response(`<p>${sent}`),
  'in a header': async (sent) =>
    Response.json({}, { status: 404, headers: { 'x-sent': encodeURIComponent(sent) } }),
  'in a network error': async (sent, init) => {
    throw Object.assign(new TypeError(`failed ${sent}`, { cause: new Error(sent) }), { code: sent, init });
  },
};

const secretsOf = (init: RequestInit) => `${init.body ?? ''} ${JSON.stringify(init.headers)}`;

describe.each(Object.entries(gossips))('repeated %s', (_, gossip) => {
  const respond = (_url: string, init: RequestInit) => gossip(secretsOf(init), init);

  test('an error does not contain the client secret', async () => {
    // Contains characters that a form encodes.
    const clientSecret = 'secret+of/an&app=';
    const client = new PurchaseClient({ ...app.options, clientSecret, fetch: respond, retriesMax: 0 });
    const error = await errorOf(client.getVoidedPurchases());
    expect(error.operation).toBe('getAccessToken');
    expect(shown(error)).not.toMatch(/secret[+%]|of.{1,3}an|an(?:&|%26)app/);
  });

  test('an error does not contain the token', async () => {
    const tokens: string[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      if (!url.endsWith('/token')) return respond(url, init);
      const response = await contractFetch(url, init);
      tokens.push(((await response.clone().json()) as { access_token: string }).access_token);
      return response;
    };
    for (const client of [
      new PurchaseClient({ ...app.options, fetch, retriesMax: 0 }),
      new DeveloperClient({ ...app.options, fetch, retriesMax: 0 }),
    ]) {
      const call = client instanceof PurchaseClient ? client.getVoidedPurchases() : client.getClock();
      const text = shown(await errorOf(call)) + shown(client);
      expect(tokens.filter((token) => text.includes(token))).toEqual([]);
    }
    expect(tokens).toHaveLength(2);
  });

  test('an error does not contain the operator key', async () => {
    const operatorKey = 'key-0123456789"\\';
    const client = new OperatorClient({ ...app.options, operatorKey, fetch: respond, retriesMax: 0 });
    expect(shown(await errorOf(client.listApps()))).not.toContain('key-0123456789');
  });
});

test('a printed client does not contain a secret', async () => {
  await app.client.getVoidedPurchases();
  await app.sandbox.getClock();
  const { access_token: token } = await app.client.getAccessToken();
  const text = [app.client, app.sandbox, stage.operator].map(shown).join('\n');
  expect(text).toContain('PurchaseClient');
  for (const secret of [app.options.clientSecret, token, 'test-admin-key'])
    expect(text).not.toContain(secret);
});
