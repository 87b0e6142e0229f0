// Every public message of an error, as one list: this snapshot is the only test of the wording. A message with values is
// listed as one example, and one that takes long to trigger is rendered without a call.

import { errors } from '@opentill/contract/errors.ts';
import { hints } from '@opentill/contract/logged-request.ts';
import { expect, test } from 'vitest';
import { waitersMax } from '../../src/operations/events/event-waiters.ts';
import { refuseWait } from '../../src/operations/events/listEvents.ts';
import { Refusal } from '../../src/operations/refusal.ts';
import { advanceAnswer } from '../../src/operations/sandbox/advanceClock.ts';
import { query } from '../embedded/scratch.ts';
import { removeUntil } from '../events/feed-calls.ts';
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
import { stageEnv } from '../renewals/renewal-stage.ts';
import { insertDelivery } from '../stage.ts';
import { formContentType, formOf, postForm } from '../tokens/token-call.ts';

const server = await useTestServer();
const production = await useTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
/** In production, with a payment gateway that is never charged. */
const charging = await useTestServer({ env: stageEnv({ url: 'http://127.0.0.1:1/charge' }) });
const app = await createTestApp(server);
const productionApp = await createTestApp(production);
const chargingApp = await createTestApp(charging);
await recordTestPurchase(server, app, { purchaseId: 'P-1', orderId: 'O-1' });
await recordTestPurchase(server, app, { purchaseId: 'P-2', orderId: 'O-2' });
await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly' });

const missing = '/apps/com.example.none';
/** An app for which no token was ever issued. */
const tokenless = 'com.example.tokenless';
await operate(server, 'POST', '/apps', { body: { packageName: tokenless } });
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
const createAppWith = (headers: Record<string, string>, body: string) =>
  call(`${server.operatorUrl}/operator/v1/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
const get = (path: string) => operate(server, 'GET', path);
const post = (path: string, body?: unknown, on = server) => operate(on, 'POST', path, { body });
const put = (path: string, body: unknown, on = server) => operate(on, 'PUT', path, { body });
const record = (body: object) => post(ofApp('/purchases'), { productId: 'coins', ...body });
const recordInProduction = (body: object) =>
  post(`/apps/${productionApp.packageName}/purchases`, { productId: 'coins', ...body }, production);
const webhook = (url: string) => put(ofApp('/webhook'), { url });
const fault = (values: object) => put(ofApp('/faults'), [{ operation: 'getPurchaseDetails', ...values }]);
const charge = (values: object) => fault({ operation: 'charge', ...values });
const dayMs = 86_400_000;
const advance = (body: object) => post(ofApp('/clock/advance'), body);

/** Calls by API and case, in the order in which they run. */
const calls: Readonly<Record<string, () => Promise<Answer>>> = {
  'token: content type': () => token({}, { 'content-type': 'text/plain' }),
  'token: no content type': () => token({}, {}),
  'token: missing parameter': () => token({ client_id: '' }),
  'token: duplicate parameter': () =>
    postForm(server, 'client_id=a&client_id=b', { 'content-type': formContentType }),
  'token: not UTF-8': () => postForm(server, 'client_id=%E9', { 'content-type': formContentType }),
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
  'voided: not UTF-8': () => details('?startTime=%E9'),
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
  'operator: role': () => operate(server, 'GET', '/actions', { key: recordKey }),
  'operator: method': () => operate(server, 'DELETE', '/apps'),
  'operator: content type': () => createAppWith({ 'content-type': 'text/plain' }, '{}'),
  'operator: invalid JSON': () => createAppWith({}, '{'),
  'operator: charset': () => createAppWith({ 'content-type': 'application/json; charset=iso-8859-1' }, '{}'),
  'operator: compressed body': () => createAppWith({ 'content-encoding': 'gzip' }, '{}'),
  'operator: no body': () => post('/apps'),
  'operator: missing field': () => post('/apps', {}),
  'operator: type of a field': () => post('/apps', { packageName: 1 }),
  'operator: choice': () => put(ofApp('/products/coins'), { type: 'other', price: 1, currency: 'EUR' }),
  'operator: currency': () => put(ofApp('/products/coins'), { type: 'one_time', price: 1, currency: 'eur' }),
  'operator: identifier': () => post('/apps', { packageName: 'Spiel für zwei' }),
  'operator: unknown field': () => post('/apps', { packageName: 'com.example.new', size: 1 }),
  'operator: pageToken': () => get('/apps?pageToken=x'),
  'operator: app': () => get(missing),
  'operator: purchase': () => get(ofApp('/purchases/none')),
  'operator: subscription': () => get(ofApp('/subscriptions/none')),
  'operator: webhook': () => get(ofApp('/webhook')),
  'createSession: neither': () => post('/sessions', {}),
  'createSession: key': () => post('/sessions', { key: 'a-wrong-operator-key' }),
  'createSession: code': () => post('/sessions', { code: 'x' }),
  'createSession: role': () => post('/sessions', { key: recordKey }),
  'createSession: foreign page': () =>
    call(`${server.operatorUrl}/operator/v1/sessions`, { method: 'POST', body: '{}' }),
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
  'recordPurchase: first month that has ended': () =>
    post(
      `/apps/${chargingApp.packageName}/purchases`,
      { productId: 'monthly', orderId: 'O-3', purchaseTime: testNow - 40 * dayMs },
      charging,
    ),
  'recordPurchase: sandbox id in production': () => recordInProduction({ purchaseId: 'SANDBOX1' }),
  'recordPurchase: no id in production': () => recordInProduction({}),
  'searchPurchases: parameters': () => get('/purchases?orderId=1&buyerId=2'),
  'getStatistics: a day that does not exist': () => get('/statistics?from=2026-02-29&to=2026-03-01'),
  'getStatistics: an order of days': () => get('/statistics?from=2026-03-15&to=2026-03-14'),
  'getStatistics: too many days': () => get('/statistics?from=2025-03-15&to=2026-04-19'),
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
  'redeliver: held': async () => {
    const eventId = 'evt_1_AAAAAAAAAAAAAAAA';
    const delivery = { eventId, eventType: 'purchase.completed', eventTime: 0, purchaseId: 'P-1' } as const;
    await insertDelivery(server, app, { ...delivery, state: 'held' });
    return post(ofApp(`/webhook/deliveries/${eventId}/redeliver`));
  },
  'putFaults: code': () => fault({ code: 9200 }),
  'putFaults: two responses': () => fault({ code: 9001, httpStatus: 500 }),
  'putFaults: nothing': () => fault({ times: 1 }),
  'putFaults: outcome of a call': () => fault({ code: 9001, outcome: 'pending' }),
  'putFaults: charge without outcome': () => charge({ times: 1 }),
  'putFaults: charge with a status': () => charge({ outcome: 'pending', httpStatus: 500 }),
  'putFaults: seed': () => fault({ code: 9001, seed: 1 }),
  'putToken: lifetime': () => put(ofApp('/token'), { expiresIn: 4000 }),
  'putToken: no token': () => put(`/apps/${tokenless}/token`, { expiresIn: 0 }),
  'putToken: renewed too often': async () => {
    await query(
      server.connection,
      'update access_token set issued_at_seconds = issued_at_seconds + 40 where package_name = $1',
      [app.packageName],
    );
    return put(ofApp('/token'), { expiresIn: 0 });
  },
  'expelTokens: exhausted': async () => {
    await query(server.connection, 'update access_token set generation = 65535 where package_name = $1', [
      tokenless,
    ]);
    return post(`/apps/${tokenless}/expel-tokens`);
  },
  'advanceClock: neither': () => advance({}),
  'advanceClock: both': () => advance({ by: 'P1D', to: testNow }),
  'advanceClock: duration': () => advance({ by: 'a month' }),
  'advanceClock: backwards': () => advance({ to: testNow - 1 }),
  'advanceClock: too far': () => advance({ by: 'P11Y' }),
  'listEvents: gone': async () => {
    await removeUntil(server, app, 2);
    return events('?after=0');
  },
  'sandbox: no token': () => publicCall('/sandbox/v1/clock', { headers: { authorization: '' } }),
};

const position = { now: testNow, to: testNow + dayMs };
const advances: readonly Parameters<typeof advanceAnswer>[0][] = [
  { kind: 'inFlight', leaseUntil: testNow, aim: testNow },
  { kind: 'lost', ...position },
  { kind: 'tooMuch', ...position },
  { kind: 'tooLong', ...position },
  { kind: 'stopping', ...position },
  { kind: 'queueFull' },
];

function advanceMessage(advance: (typeof advances)[number]): string {
  const answer = advanceAnswer(advance, app.packageName);
  if (!(answer instanceof Refusal)) throw new Error(`An advance that ends with ${advance.kind} succeeds.`);
  return `advanceClock: ${advance.kind} (${errors[answer.error].status}): ${answer.detail}`;
}

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
  lines.push(...advances.map(advanceMessage));
  for (const limit of ['appFull', 'serverFull'] as const) {
    const { error, detail } = refuseWait(limit, waitersMax.developer);
    lines.push(`listEvents: ${limit} (${errors[error].status}): ${detail}`);
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('public-messages.txt');
});
