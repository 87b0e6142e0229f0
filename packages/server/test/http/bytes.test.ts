// The bytes of bodies, forms and queries: UTF-8 that is not compressed, and anything else is rejected.

import { errors } from '@opentill/contract/errors.ts';
import { describe, expect, test } from 'vitest';
import {
  adminKey,
  createTestApp,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { expectFailure } from '../../../../test/support/http/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
const { purchaseId } = await recordTestPurchase(server, app);

/** Each character of a text is one byte. */
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: Uint8Array<ArrayBuffer>,
) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const apis = {
  operator: { url: `${server.operatorUrl}/operator/v1/apps/${app.packageName}`, bearer: adminKey },
  developer: { url: `${server.publicUrl}/developer/v1`, bearer: app.token },
};
type Api = keyof typeof apis;

const json = { 'content-type': 'application/json' };

function record(api: Api, body: string, headers: Record<string, string> = json) {
  const { url, bearer } = apis[api];
  return send(`${url}/purchases`, 'POST', { authorization: `Bearer ${bearer}`, ...headers }, bytes(body));
}

describe.each<Api>(['operator', 'developer'])('a JSON body of the %s API', (api) => {
  test(`the ${api} API rejects two orders that differ in a byte outside UTF-8, which would otherwise be one order`, async () => {
    for (const orderId of ['A-\xe9', 'A-\xe8', 'A-\xed\xa0\x80']) {
      const rejected = await record(api, `{"productId":"coins","orderId":"${orderId}"}`);
      expect([rejected.status, rejected.body.detail]).toEqual([400, 'body: expected UTF-8.']);
      expect(rejected.body.errors).toEqual([{ path: '', message: 'expected UTF-8' }]);
    }
    const utf8 = await record(api, '\xef\xbb\xbf{"productId":"coins","orderId":"A-\xc3\xa9"}');
    expect([utf8.body.orderId, utf8.status]).toEqual(['A-é', api === 'operator' ? 201 : 200]);
  });

  test.each([
    ['Content-Type', 'application/json; charset=utf-16', 'the charset utf-8, got "utf-16"'],
    ['Content-Encoding', 'identity, gzip', 'identity or none, got "identity, gzip"'],
  ])(`the ${api} API rejects a body with %s: %s with 415`, async (header, value, expected) => {
    const headers = { ...json, [header.toLowerCase()]: value };
    const response = await record(api, '{"productId":"coins"}', headers);
    expect([response.status, response.body.type]).toEqual([415, errors.unsupportedMediaType.type]);
    expect(response.body.detail).toBe(`${header}: expected ${expected}.`);
  });

  test(`the ${api} API accepts a body whose encoding is identity`, async () => {
    const response = await record(api, '{"productId":"coins"}', { ...json, 'content-encoding': 'Identity' });
    expect(response.status).toBe(201);
  });

  test(`the ${api} API names a field __proto__ or constructor as unknown`, async () => {
    const body = '{"productId":"coins","__proto__":{"price":1},"constructor":{"prototype":{}}}';
    const { status, body: problem } = await record(api, body);
    expect(status).toBe(400);
    expect(problem.detail).toBe('/__proto__: unknown field; /constructor: unknown field.');
  });
});

describe('the form of a token request', () => {
  const form = (secret: string) =>
    `grant_type=client_credentials&client_id=${app.clientId}&client_secret=${secret}`;
  const request = (body: string, headers: Record<string, string> = {}) =>
    send(
      `${server.publicUrl}/v2/oauth/token`,
      'POST',
      { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1', ...headers },
      bytes(body),
    );

  test.each(['%E9', '\xe9'])('a client_secret %j is rejected with 400', async (secret) => {
    const response = await request(form(secret));
    expectFailure(response, 'invalidTokenRequest');
    expect(response.body.error.message).toBe('client_secret: expected UTF-8.');
  });

  test.each(['%C3%A9', '\xc3\xa9', '%zz'])('a client_secret %j is compared', async (secret) => {
    expectFailure(await request(form(secret)), 'invalidTokenRequest', 'client_id and client_secret');
  });

  test('a form is read whatever charset it names, and an ignored parameter may have any bytes', async () => {
    expect((await request(`${form(app.clientSecret)}&\xe9=%E9`)).status).toBe(200);
  });

  test('a compressed form is rejected with 400, which names its encoding', async () => {
    const response = await request(form(app.clientSecret), { 'content-encoding': 'gzip' });
    expectFailure(response, 'invalidTokenRequest');
    expect(response.body.error.message).toBe('Content-Encoding: expected identity or none, got "gzip".');
  });
});

const read = (url: string, bearer = app.token) =>
  send(url, 'GET', { ...json, authorization: `Bearer ${bearer}` });

test.each(['%E9', '%zz'])('a parameter %s is rejected by every API that reads it', async (text) => {
  const message = `expected percent-encoded UTF-8, got "${text}"`;
  for (const { url, bearer } of Object.values(apis)) {
    const { origin, pathname } = new URL(url);
    const list = `${origin}${pathname.replace(/\/apps\/.*/, '')}/purchases`;
    const response = await read(`${list}?state=x&buyerId=${text}`, bearer);
    expect([response.status, response.body.detail]).toEqual([400, `buyerId: ${message}.`]);
    expect(response.body.errors).toEqual([{ path: 'buyerId', message }]);
  }
  const events = await read(`${server.publicUrl}/events/v1/events?after=${text}`);
  expectFailure(events, 'invalidRequest', 'after');
  const purchaseApi = `${server.publicUrl}/v2/purchase`;
  const voided = await read(`${purchaseApi}/voided-purchases/${app.packageName}?startTime=${text}`);
  expectFailure(voided, 'searchRuleViolated', 'startTime');
  const details = await read(`${purchaseApi}/details/${purchaseId}/${app.packageName}?x=${text}`);
  expect(details.status).toBe(200);
});
