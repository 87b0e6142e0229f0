// A client that is generated from the OpenAPI document, with validators of requests and responses.

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../../packages/server/src/runtime/clock.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { documentUrl, openApp, storeUrl } from './example-backend.ts';
import { generatedClient, installed } from './programs.ts';

interface Call {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** The generated code: a function for each operation, named by its operationId. */
type Operations = Readonly<
  Record<
    string,
    // biome-ignore lint/suspicious/noExplicitAny: the validators check the shape
    (call: Call & { readonly throwOnError: true }) => Promise<{ readonly data: any }>
  >
>;

/** The operations, which send the app's token; `called` collects their names. */
async function generate(folder: string) {
  const args = [generatedClient.command[1], documentUrl, folder];
  await promisify(execFile)(process.execPath, args);
  const operations = (await import(`${folder}/sdk.gen.ts`)) as Operations;
  const { client } = await import(`${folder}/client.gen.ts`);
  const called = new Set<string>();
  const call = async (name: string, values: Call = {}) => {
    called.add(name);
    return (await operations[name]?.({ ...values, throwOnError: true }))?.data;
  };
  const useToken = (auth: string): void => {
    client.setConfig({ baseURL: storeUrl, auth });
  };
  return { call, called, useToken, names: Object.keys(operations) };
}

type Generated = Awaited<ReturnType<typeof generate>>;

async function callPurchaseApi({ call }: Generated, packageName: string) {
  const record = async (productId: string) =>
    (await call('developerRecordPurchase', { body: { productId } })).purchaseId as string;
  const path = { packageName, purchaseId: await record('coins') };
  const monthly = { packageName, purchaseId: await record('monthly') };
  await call('getPurchaseDetails', { path });
  await call('getPurchaseDetailsByProductId', { path: { ...path, productId: 'coins' } });
  expect(await call('consumePurchase', { path })).toMatchObject({ consumptionState: 1 });
  await call('developerRecordConsumption', { path });
  await call('getRecurringPurchaseDetails', { path: monthly });
  await call('getLastRecurringPurchaseDetails', { path: monthly });
  await call('manageRecurringPaymentStatus', { path: { ...monthly, action: 'cancel' } });
  await call('developerVoidPurchase', { path });
  const voided = await call('getVoidedPurchases', { path, query: { maxResults: 1 } });
  expect(voided.voidedPurchaseList).toHaveLength(1);
}

async function callSubscriptions({ call }: Generated) {
  const { purchaseId } = await call('developerRecordPurchase', { body: { productId: 'monthly' } });
  const path = { firstPurchaseId: purchaseId };
  await call('developerCancelSubscription', { path, body: {} });
  const reactivated = await call('developerReactivateSubscription', { path, body: {} });
  const extension = { expiryTime: reactivated.expiryTime + 1 };
  const { expiryTime } = await call('developerExtendSubscription', { path, body: extension });
  const changed = await call('developerChangeRenewalPrice', { path, body: { price: 200 } });
  expect(changed.renewalPrice).toBe(200);
  await call('developerGetClock');
  await call('developerPutClock', { body: { mode: 'frozen' } });
  await call('developerPutFaults', { body: [{ operation: 'charge', outcome: 'noAnswer', times: 1 }] });
  await call('developerGetFaults');
  await call('developerAdvanceClock', { body: { to: expiryTime } });
  const { attempts } = await call('developerGetSubscription', { path });
  const { periodIndex, attempt } = attempts[0];
  await call('developerAdvanceClock', { body: { by: 'P17D' } });
  await call('developerSettleAttempt', {
    path: { ...path, periodIndex: String(periodIndex), attempt: String(attempt) },
    body: { outcome: 'paid', note: 'The provider charged it.' },
  });
  const { statements } = await call('developerListStatements');
  expect(await call('developerGetStatement', { path: { name: statements[0].name } })).toMatchObject(
    statements[0],
  );
}

async function callWebhooks({ call }: Generated) {
  await using receiver = await listenOnLoopback(createServer((_, response) => response.writeHead(204).end()));
  await call('developerPutWebhook', { body: { url: `http://127.0.0.1:${receiver.port}/hooks` } });
  await call('developerGetWebhook');
  await call('developerTestWebhook');
  const deliveries = async () => (await call('developerListDeliveries')).deliveries;
  await expect.poll(deliveries).toHaveLength(1);
  const [{ id: deliveryId }] = await deliveries();
  await call('developerGetDelivery', { path: { deliveryId } });
  await call('developerRedeliver', { path: { deliveryId } });
  await call('developerRedeliverFailed', { body: { since: systemClock.now() - 60_000 } });
  await call('developerRotateWebhookSecret', { body: {} });
  await call('developerDeleteWebhook');
}

/** What production has as well. */
async function readApp({ call }: Generated) {
  const { packageName } = await call('developerGetApp');
  await call('developerListProducts');
  const { purchases } = await call('developerListPurchases', { query: { state: 'voided' } });
  await call('developerGetPurchase', { path: { purchaseId: purchases[0].purchaseId } });
  await call('developerListSubscriptions');
  const { rows } = await call('developerGetStatistics', { query: { from: '2020-01-01', to: '2020-01-31' } });
  expect(rows).toEqual([]);
  const { clientId } = await call('developerRotateClientSecret', { body: {} });
  expect(clientId).toBe(packageName);
}

test.each(installed([generatedClient]))(
  '$name drives the purchase API and the developer API, and its validators accept every response',
  async () => {
    const { options } = await openApp();
    const { clientId, clientSecret, packageName } = options;
    const generated = await generate(new URL('dist/client', import.meta.url).pathname);
    const { call, called, useToken, names } = generated;
    const renewToken = async () => {
      const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
      useToken((await call('getAccessToken', { body })).access_token);
    };
    useToken('');
    await renewToken();
    const price = { price: 100, currency: 'EUR' };
    await call('developerPutProduct', { path: { productId: 'coins' }, body: { type: 'oneTime', ...price } });
    const monthly = { path: { productId: 'monthly' }, body: { type: 'subscription', ...price } };
    await call('developerPutProduct', monthly);
    await callPurchaseApi(generated, packageName);
    await readApp(generated);
    await callSubscriptions(generated);
    await callWebhooks(generated);
    await call('eventsListEvents', { query: { pageSize: 10 } });
    await call('developerListRequests');
    await call('developerPutToken', { body: { expiresIn: 60 } });
    await call('developerExpelTokens', { body: {} });
    await renewToken();
    await call('developerReset');
    const developerNames = names.filter((name) => name.startsWith('developer'));
    expect([...called].filter((name) => name.startsWith('developer')).sort()).toEqual(developerNames.sort());
  },
);
