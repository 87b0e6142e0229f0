// npm run docs:examples: starts a server with the demo, makes each call of the APIs, and writes the examples of the reference
// (examples.json), which a test checks against the contract.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { makeScratch } from '../../test/support/embedded/scratch.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { startOpentill } from '../../test/support/start/opentill-process.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type Calls, callsOf, type Json, packageName } from './example-recorder.ts';

const dayMs = 86_400_000;
const coins = { packageName, purchaseId: 'SANDBOX-DEMO-COINS' };
const monthly = { packageName, purchaseId: 'SANDBOX-DEMO-MONTHLY' };
const subscription = { packageName, firstPurchaseId: monthly.purchaseId };

/** What the developer's backend calls. */
async function callPurchaseApi({ issueToken, purchase, prepare }: Calls): Promise<void> {
  await issueToken();
  await purchase('getPurchaseDetails', coins);
  await purchase('getPurchaseDetailsByProductId', { ...coins, productId: 'coins_100' });
  await purchase('getRecurringPurchaseDetails', monthly);
  await purchase('getLastRecurringPurchaseDetails', monthly);
  const cancelled = { packageName, purchaseId: 'SANDBOX-DEMO-CLUB-20' };
  await purchase('getRecurringPurchaseDetails', cancelled);
  await purchase('getLastRecurringPurchaseDetails', cancelled);
  await purchase('manageRecurringPaymentStatus', { ...monthly, action: 'cancel' });
  await prepare('reactivateSubscription', subscription);
  await prepare('recordPurchase', { productId: 'sword', purchaseId: 'SANDBOX-DEMO-SWORD-2' });
  await prepare('voidPurchase', { purchaseId: 'SANDBOX-DEMO-SWORD-2' });
  await purchase('getVoidedPurchases', { packageName, maxResults: 1 });
  await purchase('consumePurchase', coins);
}

async function callApps({ operator, prepare }: Calls): Promise<void> {
  const app = { packageName: 'com.example.game' };
  await operator('createApp', { ...app, name: 'Space Game' });
  await operator('updateApp', { ...app, name: 'Space Game 2' });
  await prepare('updateApp', { ...app, disabled: true });
  await operator('listApps', { pageSize: 1 });
  await operator('getApp', { packageName });
  await operator('rotateClientSecret', { ...app, keepPreviousForSeconds: 3_600 });
  await operator('expelTokens', app);
  const product = {
    packageName,
    productId: 'gems_50',
    type: 'oneTime',
    title: '50 gems',
    price: 499,
    currency: 'EUR',
  };
  for (const price of [499, 449]) await operator('putProduct', { ...product, price });
  await operator('listProducts', { packageName, pageSize: 1 });
}

async function callPurchases({ operator, prepare }: Calls): Promise<void> {
  const purchaseId = 'ORDER-2001';
  const sale = {
    packageName,
    productId: 'sword',
    purchaseId,
    orderId: 'order-2001',
    buyerId: 'B-2001',
    price: 449,
  };
  for (const _ of ['recorded', 'retried'])
    await operator('recordPurchase', { ...sale, developerPayload: 'payload-2001' });
  await operator('getPurchase', { packageName, purchaseId });
  await operator('recordConsumption', { packageName, purchaseId });
  await operator('getPurchase', { packageName, purchaseId });
  await operator('getDeveloperView', { packageName, purchaseId });
  const reason = { reasonCode: 'customerRequest', note: 'Bought by a child', ticket: 'T-412' };
  await operator('voidPurchase', { packageName, purchaseId, reason: 'customer', ...reason });
  await operator('listPurchases', { packageName, state: 'voided', pageSize: 2 });
  await operator('getPurchase', monthly);
  await operator('getPurchase', { packageName, purchaseId: 'SANDBOX-DEMO-CLUB-8' });
  await operator('getPurchase', { packageName, purchaseId });
  await operator('search', { q: 'order-2001' });
  const { events } = await operator('listEvents', { packageName, pageSize: 2 });
  await operator('search', { q: events[0].id });
  const sold = { packageName, productId: 'club_monthly', purchaseId: 'ORDER-2002' };
  await operator('recordPurchase', sold);
  await prepare('voidPurchase', { purchaseId: sold.purchaseId });
}

async function callSubscriptions({ operator, prepare }: Calls): Promise<void> {
  await operator('listSubscriptions', { packageName, state: 'active', pageSize: 2 });
  await operator('getSubscription', {
    packageName,
    firstPurchaseId: 'SANDBOX-DEMO-CLUB-2',
    newestPeriods: 2,
  });
  await operator('getSubscription', { packageName, firstPurchaseId: 'SANDBOX-DEMO-CLUB-2' });
  await operator('cancelSubscription', {
    ...subscription,
    reason: 'customer',
    reasonCode: 'customerRequest',
  });
  await operator('reactivateSubscription', subscription);
  await operator('changeRenewalPrice', { ...subscription, price: 1099, note: 'Announced on 1 March' });
  const { expiryTime } = await prepare('getSubscription', subscription);
  await operator('extendSubscription', {
    ...subscription,
    expiryTime: expiryTime + 7 * dayMs,
    note: 'An outage',
  });
  await operator('pauseRenewals', { packageName, note: 'The payment provider is down' });
  await operator('getRenewals', { packageName });
  await operator('resumeRenewals', { packageName });
}

/** What only the sandbox has. */
async function callSandbox({ operator, prepare, purchase, callWithoutType }: Calls): Promise<void> {
  await operator('putClock', { packageName, mode: 'frozen' });
  await operator('advanceClock', { packageName, by: 'P1M' });
  const { expiryTime } = await prepare('getSubscription', subscription);
  const faults = [
    { operation: 'charge', outcome: 'noAnswer', firstPurchaseId: monthly.purchaseId },
    { operation: 'consumePurchase', code: 9200, delayMs: 200, times: 1 },
    { operation: 'getPurchaseDetails', httpStatus: 503, times: 1 },
  ];
  await operator('putFaults', { packageName, faults });
  await operator('getFaults', { packageName });
  await purchase('getPurchaseDetails', coins).catch(() => undefined);
  await callWithoutType();
  await operator('listRequests', { packageName, pageSize: 1 });
  await operator('listRequests', { packageName, pageSize: 2 });
  await prepare('advanceClock', { to: expiryTime });
  await operator('getClock', { packageName });
  await operator('getSubscription', { ...subscription, newestPeriods: 1 });
  await prepare('advanceClock', { by: 'P20D' });
  const { attempts } = await prepare('getSubscription', subscription);
  const { periodIndex, attempt } = attempts[0];
  await operator('listAttention');
  await operator('getRenewals', { packageName });
  const settled = { ...subscription, periodIndex: String(periodIndex), attempt: String(attempt) };
  await operator('settleAttempt', { ...settled, outcome: 'paid', note: 'The provider charged it.' });
  await operator('putToken', { packageName, expiresIn: 60 });
}

/** A receiver that redirects the first attempt, and is then away until it is told otherwise. */
async function callWebhooks({ operator, prepare }: Calls): Promise<void> {
  const redirect = { status: 307, location: 'https://backend.example/moved' };
  const responses: { status: number; location?: string }[] = [redirect];
  let status = 503;
  await using receiver = await listenOnLoopback(
    createServer((_, response) => {
      const { status: code, ...headers } = responses.shift() ?? { status };
      response.writeHead(code, headers).end(code === 204 ? undefined : 'Later');
    }),
  );
  const url = `http://127.0.0.1:${receiver.port}/hooks`;
  await prepare('putWebhook', { packageName: 'com.example.game', url });
  await operator('putWebhook', { packageName, url });
  await operator('putWebhook', { packageName, url });
  const { id: deliveryId, eventTime } = await operator('testWebhook', { packageName });
  const purchaseId = 'ORDER-2003';
  await prepare('recordPurchase', { productId: 'sword', purchaseId });
  await prepare('recordConsumption', { purchaseId });
  const list = async () => (await prepare('listDeliveries')).deliveries;
  const statesAre = (...states: string[]) =>
    waitFor(async () => (await list()).map(({ state }: Json) => state).join() === states.join(), {
      what: `deliveries that are ${states}`,
    });
  await statesAre('held', 'waiting', 'waiting');
  await operator('listWebhooks', { pageSize: 1 });
  await operator('listDeliveries', { packageName, pageSize: 1 });
  await operator('getDelivery', { packageName, deliveryId });
  await operator('getPurchase', { packageName, purchaseId });
  const [{ id: held }] = await list();
  await operator('getDelivery', { packageName, deliveryId: held });
  status = 204;
  await operator('redeliver', { packageName, deliveryId });
  await operator('redeliverFailed', { packageName, since: eventTime });
  await statesAre('delivered', 'delivered', 'delivered');
  await operator('getDelivery', { packageName, deliveryId });
  await prepare('cancelSubscription', { ...subscription, note: 'Asked on the phone' });
  await prepare('reactivateSubscription', subscription);
  await statesAre(...Array<string>(5).fill('delivered'));
  await operator('getSubscription', subscription);
  await operator('rotateWebhookSecret', { packageName });
  await operator('getWebhook', { packageName });
  await operator('deleteWebhook', { packageName });
}

async function callStore({ operator, prepare }: Calls): Promise<void> {
  const { path } = await operator('createConsoleLink', { role: 'support' });
  await operator('createSession', { code: path.split('#')[1] });
  await operator('getSession');
  await operator('deleteSession');
  await operator('listActions', { packageName, operationId: 'voidPurchase', pageSize: 2 });
  await operator('listActions', { packageName, operationId: 'extendSubscription' });
  const { now } = await prepare('getClock');
  const [from, to] = [now - 30 * dayMs, now].map((time) => new Date(time).toISOString().slice(0, 10));
  await operator('getStatistics', { packageName, from, to, by: 'week' });
  const { statements } = await operator('listStatements', { packageName, pageSize: 1 });
  await operator('getStatement', { packageName, name: statements[0].name });
  await operator('eraseBuyer', { buyerId: 'B-2001', ticket: 'T-413' });
}

/** What the audit trail says of different changes. */
async function callActions({ operator, prepare }: Calls): Promise<void> {
  await prepare('putClock', { mode: 'running', rate: 60 });
  const operations = [
    'updateApp',
    'expelTokens',
    'rotateClientSecret',
    'putProduct',
    'putWebhook',
    'settleAttempt',
  ];
  for (const operationId of [...operations, 'createSession', 'putClock', 'putFaults', 'putToken'])
    await operator('listActions', { operationId, pageSize: 10 });
  await prepare('updateApp', { packageName: 'com.example.game', name: 'Space Game 3' });
  await operator('listActions', { operationId: 'updateApp', pageSize: 1 });
}

await using scratch = await makeScratch();
const env = { OPENTILL_DATA_DIR: scratch.dataFolder, OPENTILL_WEBHOOK_ALLOW: 'loopback' };
await using server = startOpentill({ env, args: ['--demo'] });
const { publicUrl, operatorUrl } = await server.ready();
const secret = async (name: string) => (await readFile(join(scratch.dataFolder, name), 'utf8')).trim();
const calls = callsOf({
  urls: { public: publicUrl, operator: operatorUrl },
  operatorKey: await secret('operator.key'),
  clientSecret: await secret('demo-client.secret'),
});
await callPurchaseApi(calls);
await callApps(calls);
await callPurchases(calls);
await callSubscriptions(calls);
await callWebhooks(calls);
await callStore(calls);
await callSandbox(calls);
await callActions(calls);
await calls.listEvents();
const recorded = await calls.recorded();
await calls.operator('reset', { packageName });
server.signal('SIGTERM');
await server.ended();
// The receiver of the webhook stands for one of a developer.
const text = JSON.stringify(recorded, undefined, 1).replaceAll(
  /http:\/\/127\.0\.0\.1:\d+(?=["/])/g,
  'https://backend.example',
);
await writeFile(join(import.meta.dirname, 'examples.json'), `${text}\n`);
