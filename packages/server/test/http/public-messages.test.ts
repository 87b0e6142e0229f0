// Every public message of an error, as one list: this snapshot is the only test of the wording. A message with values is
// listed as one example.

import { errors } from '@opentill/contract/errors.ts';
import { hints } from '@opentill/contract/logged-request.ts';
import { expect, test } from 'vitest';
import {
  type Answer,
  adminKey,
  call,
  createTestApp,
  operate,
  recordKey,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../harness.ts';
import { formContentType, formOf, postForm } from '../tokens/token-call.ts';

const server = await useTestServer();
const production = await useTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
const app = await createTestApp(server);
const productionApp = await createTestApp(production);
await recordTestPurchase(server, app, { purchaseId: 'P-1', orderId: 'O-1' });
await recordTestPurchase(server, app, { purchaseId: 'P-2', orderId: 'O-2' });
await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly' });

const missing = '/apps/com.example.none';
const ofApp = (path = '') => `/apps/${app.packageName}${path}`;

/** A call of the public listener with the token of the app. */
function publicCall(path: string, { method = 'GET', headers = {} } = {}): Promise<Answer> {
  const own = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' };
  return call(server.publicUrl + path, { method, headers: { ...own, ...headers } });
}

const details = (query = '') => publicCall(`/v2/purchase/voided-purchases/${app.packageName}${query}`);
const events = (query: string) => publicCall(`/events/v1/events${query}`);
const token = (changes: Record<string, string>, headers?: Record<string, string>) =>
  postForm(server, { ...formOf(app), ...changes }, headers);
const get = (path: string) => operate(server, 'GET', path);
const post = (path: string, body?: unknown, on = server) => operate(on, 'POST', path, { body });
const put = (path: string, body: unknown, on = server) => operate(on, 'PUT', path, { body });
const record = (body: object) => post(ofApp('/purchases'), { productId: 'coins', ...body });
const recordInProduction = (body: object) =>
  post(`/apps/${productionApp.packageName}/purchases`, { productId: 'coins', ...body }, production);
const webhook = (url: string) => put(ofApp('/webhook'), { url });
const fault = (values: object) => put(ofApp('/faults'), [{ operation: 'getPurchaseDetails', ...values }]);
const charge = (values: object) => fault({ operation: 'charge', ...values });
const advance = (body: object) => post(ofApp('/clock/advance'), body);

/** By the API and the case; the calls run in this order. */
const calls: Readonly<Record<string, () => Promise<Answer>>> = {
  'token: content type': () => token({}, { 'content-type': 'text/plain' }),
  'token: no content type': () => token({}, {}),
  'token: missing parameter': () => token({ client_id: '' }),
  'token: duplicate parameter': () =>
    postForm(server, 'client_id=a&client_id=b', { 'content-type': formContentType }),
  'token: grant_type': () => token({ grant_type: 'password' }),
  'token: wrong secret': () => token({ client_secret: 'wrong' }),
  'purchase: no token': () => publicCall('/v2/purchase/details/P-1/x', { headers: { authorization: '' } }),
  'purchase: content type': () =>
    publicCall('/v2/purchase/details/P-1/x', { headers: { 'content-type': 'text/plain' } }),
  'purchase: missing value': () => publicCall('/v2/purchase/details/P-1'),
  'purchase: not UTF-8': () => publicCall('/v2/%zz'),
  'purchase: method': () => publicCall('/v2/purchase/details/P-1/x', { method: 'POST' }),
  'purchase: action': () =>
    publicCall(`/v2/purchase/manage-payment-status/S-1/${app.packageName}/pause`, { method: 'POST' }),
  'voided: digits': () => details('?startTime=1'),
  'voided: duplicate': () => details('?maxResults=1&maxResults=2'),
  'voided: too old': () => details('?startTime=1600000000000'),
  'voided: in the future': () => details(`?endTime=${testNow + 60_000}`),
  'voided: start after end': () => details(`?startTime=${testNow}&endTime=${testNow - 1}`),
  'voided: maxResults': () => details('?maxResults=1000'),
  'voided: continuationKey': () => details('?continuationKey=x'),
  'events: value': () => events('?pageSize=0'),
  'events: unknown field': () => events('?size=1'),
  'events: malformed position': () => events('?after=x'),
  'events: unknown position': () => events('?after=999'),
  'operator: no key': () => call(`${server.operatorUrl}/operator/v1/apps`),
  'operator: role': () => operate(server, 'GET', ofApp('/changes'), { key: recordKey }),
  'operator: method': () => operate(server, 'DELETE', '/apps'),
  'operator: content type': () =>
    call(`${server.operatorUrl}/operator/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'text/plain' },
      body: '{}',
    }),
  'operator: invalid JSON': () =>
    call(`${server.operatorUrl}/operator/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: '{',
    }),
  'operator: no body': () => post('/apps'),
  'operator: missing field': () => post('/apps', {}),
  'operator: type of a field': () => post('/apps', { packageName: 1 }),
  'operator: choice': () => put(ofApp('/products/coins'), { type: 'other', price: 1, currency: 'EUR' }),
  'operator: unknown field': () => post('/apps', { packageName: 'com.example.new', size: 1 }),
  'operator: pageToken': () => get('/apps?pageToken=x'),
  'operator: app': () => get(missing),
  'operator: purchase': () => get(ofApp('/purchases/none')),
  'operator: subscription': () => get(ofApp('/subscriptions/none')),
  'operator: webhook': () => get(ofApp('/webhook')),
  'createApp: taken': () => post('/apps', { packageName: app.packageName }),
  'putProduct: type': () =>
    put(ofApp('/products/coins'), { type: 'subscription', price: 1, currency: 'EUR' }),
  'putProduct: no payment gateway': () =>
    put(
      `/apps/${productionApp.packageName}/products/monthly`,
      { type: 'subscription', price: 1, currency: 'EUR' },
      production,
    ),
  'recordPurchase: product': () => record({ productId: 'none' }),
  'recordPurchase: different content': () => record({ purchaseId: 'P-1', price: 1 }),
  'recordPurchase: two records': () => record({ purchaseId: 'P-1', orderId: 'O-2' }),
  'recordPurchase: in the future': () => record({ purchaseTime: testNow + 60_001 }),
  'recordPurchase: sandbox id in production': () => recordInProduction({ purchaseId: 'SANDBOX1' }),
  'searchPurchases: parameters': () => get('/purchases'),
  'reactivateSubscription: state': () => post(ofApp('/subscriptions/S-1/reactivate')),
  'putWebhook: scheme': () => webhook('ftp://example.com/'),
  'putWebhook: user': () => webhook('https://user@example.com/'),
  'putWebhook: fragment': () => webhook('https://example.com/#part'),
  'putWebhook: port': () => webhook('https://example.com:22/'),
  'putWebhook: address': () => webhook('https://10.0.0.1/'),
  'putWebhook: length': () => webhook(`https://example.com/${'é'.repeat(700)}`),
  'redeliver: delivery': async () => {
    await webhook('http://127.0.0.1:1024/');
    return post(ofApp('/webhook/deliveries/evt_1_AAAAAAAAAAAAAAAA/redeliver'));
  },
  'putFaults: code': () => fault({ code: 9200 }),
  'putFaults: two responses': () => fault({ code: 9001, httpStatus: 500 }),
  'putFaults: nothing': () => fault({ times: 1 }),
  'putFaults: outcome of a call': () => fault({ code: 9001, outcome: 'pending' }),
  'putFaults: charge without outcome': () => charge({ times: 1 }),
  'putFaults: charge with a status': () => charge({ outcome: 'pending', httpStatus: 500 }),
  'putFaults: seed': () => fault({ code: 9001, seed: 1 }),
  'putToken: lifetime': () => put(ofApp('/token'), { expiresIn: 4000 }),
  'advanceClock: neither': () => advance({}),
  'advanceClock: both': () => advance({ by: 'P1D', to: testNow }),
  'advanceClock: duration': () => advance({ by: 'a month' }),
  'advanceClock: backwards': () => advance({ to: testNow - 1 }),
  'advanceClock: too far': () => advance({ by: 'P11Y' }),
  'sandbox: no token': () => publicCall('/sandbox/v1/clock', { headers: { authorization: '' } }),
};

test('every public message has the wording of the snapshot', async () => {
  const lines = [
    ...Object.entries(errors).map(
      ([name, { code, status, title }]) => `${name} (${status}, ${code}): ${title}`,
    ),
    '',
    ...Object.entries(hints).map(([name, text]) => `${name}: ${text}`),
    '',
  ];
  for (const [title, send] of Object.entries(calls)) {
    const { status, body } = await send();
    lines.push(`${title} (${status}): ${body?.detail ?? body?.error?.message}`);
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('public-messages.txt');
});
