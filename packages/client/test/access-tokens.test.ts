// The access token of a client: how often it is asked for, and what happens when it ends.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractFetch } from '../../server/test/contract-fetch.ts';
import { type ClientStage, errorOf, type StagedApp, startClientStage } from './client-stage.ts';

let stage: ClientStage;

beforeAll(async () => {
  stage = await startClientStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const tokensOf = ({ called }: StagedApp) => called.filter((operation) => operation === 'token').length;
const list = ({ client }: StagedApp) => client.getVoidedPurchases();

describe('the token of a client', () => {
  test('is asked for once by however many calls wait for it, and kept', async () => {
    const app = await stage.createApp();
    await Promise.all(Array.from({ length: 20 }, () => list(app)));
    await list(app);
    expect(tokensOf(app)).toBe(1);
    expect(app.called).toHaveLength(22);
  });

  test('is kept while 600 seconds remain, and asked for again with fewer', async () => {
    const app = await stage.createApp();
    await list(app);
    stage.server.clock.advance(3_000_000);
    await list(app);
    expect(tokensOf(app)).toBe(1);
    stage.server.clock.advance(1);
    await Promise.all([list(app), list(app)]);
    expect(tokensOf(app)).toBe(2);
    stage.server.clock.advance(3_000_000);
    await list(app);
    expect(tokensOf(app)).toBe(2);
  });

  test('that is short-lived from the start is not asked for with each call', async () => {
    let seconds = 3_600;
    const fetch = async (url: string, init: RequestInit) => {
      const response = await contractFetch(url, init);
      if (!url.endsWith('/token')) return response;
      return Response.json({ ...((await response.json()) as object), expires_in: seconds });
    };
    seconds = 300;
    const app = await stage.createApp({ fetch });
    await list(app);
    stage.server.clock.advance(9_999);
    await list(app);
    expect(tokensOf(app)).toBe(1);
    stage.server.clock.advance(1);
    await list(app);
    expect(tokensOf(app)).toBe(2);
  });

  test('that putToken has ended is asked for again, once, and the call succeeds', async () => {
    const app = await stage.createApp();
    await list(app);
    await app.sandbox.putToken({ expiresIn: 0 });
    app.called.length = 0;
    await list(app);
    expect(app.called).toEqual(['voided-purchases', 'token', 'voided-purchases']);
  });

  test('that was expelled is asked for once by all the calls that it is refused to', async () => {
    const app = await stage.createApp();
    await list(app);
    await app.sandbox.expelTokens();
    app.called.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => list(app)));
    expect(tokensOf(app)).toBe(1);
  });

  test('is asked for no more than once for a call that goes on being refused', async () => {
    const app = await stage.createApp();
    await list(app);
    await app.sandbox.putFaults({ faults: [{ operation: 'getVoidedPurchases', code: 401 }] });
    app.called.length = 0;
    const error = await errorOf(list(app));
    expect(error).toMatchObject({ operation: 'getVoidedPurchases', code: 401, httpStatus: 401 });
    expect(app.called).toEqual(['voided-purchases', 'token', 'voided-purchases']);
  });

  test('goes on being used while it is good although the token endpoint fails', async () => {
    const app = await stage.createApp();
    await list(app);
    const held = (await app.client.getAccessToken()).access_token;
    stage.server.clock.advance(3_300_000);
    await app.sandbox.putFaults({ faults: [{ operation: 'getAccessToken', httpStatus: 500 }] });
    app.called.length = 0;
    await list(app);
    await list(app);
    expect(app.called).toEqual(['token', 'token', 'token', 'voided-purchases', 'voided-purchases']);
    await app.sandbox.putFaults({ faults: [] });
    stage.server.clock.advance(10_000);
    await list(app);
    expect((await app.client.getAccessToken()).access_token).not.toBe(held);
    expect(tokensOf(app)).toBe(5);
  });

  test('serves the calls that follow when it was asked for by itself', async () => {
    const app = await stage.createApp();
    const answer = await app.client.getAccessToken();
    expect(answer).toMatchObject({
      status: 'SUCCESS',
      token_type: 'bearer',
      expires_in: 3_600,
      scope: 'DEFAULT',
    });
    await list(app);
    expect(tokensOf(app)).toBe(1);
  });

  test('is waited for by a caller who may give up, without ending it for the others', async () => {
    const app = await stage.createApp();
    await app.sandbox.putFaults({ faults: [{ operation: 'getAccessToken', delayMs: 50 }] });
    const giveUp = new AbortController();
    const impatient = app.client.getVoidedPurchases({}, { signal: giveUp.signal });
    const patient = list(app);
    giveUp.abort(new Error('no time'));
    await expect(impatient).rejects.toThrow('no time');
    expect(await patient).toEqual({ voidedPurchaseList: [] });
    expect(app.called).toEqual(['token', 'voided-purchases']);
  });
});

describe('wrong credentials', () => {
  test('fail each call with the refusal of the token endpoint, and with the same secret later on again', async () => {
    const app = await stage.createApp({ clientSecret: 'not the secret' });
    for (const _ of [1, 2]) {
      expect(await errorOf(list(app))).toMatchObject({
        operation: 'getAccessToken',
        code: 400,
        httpStatus: 400,
      });
    }
    expect(app.called).toEqual(['token', 'token']);
  });

  test('with characters that a form has to encode arrive as they are', async () => {
    const clientId = 'a client/+&=%ü';
    const packageName = 'com.example.encoded';
    const { clientSecret } = await stage.operator.createApp({ packageName, clientId });
    const app = await stage.createApp({ packageName, clientId, clientSecret });
    expect((await app.client.getAccessToken()).client_id).toBe(clientId);
  });
});

test.each([{}, { access_token: 'a b', expires_in: 3600 }, { access_token: 'ab' }])(
  'an answer that is no token is an error: %j',
  async (answer) => {
    const app = await stage.createApp({ fetch: async () => Response.json(answer) });
    const error = await errorOf(list(app));
    expect(error.message).toBe('getAccessToken: the response has no valid token');
  },
);
