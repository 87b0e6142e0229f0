// The backend of an app on Node.js 24 with @opentill/client, which handles tokens and retries (../README.md).

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import {
  OpenTillError,
  PurchaseClient,
  type SubscriptionAccess,
  subscriptionAccess,
  verifyWebhook,
} from '@opentill/client';
import { DeveloperClient } from '@opentill/client/developer';

const { STORE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE_NAME = '', LEDGER = '' } = process.env;
const { WEBHOOK_SECRET = '', PORT = '', ENVIRONMENT = 'production' } = process.env;

const environment = ENVIRONMENT === 'sandbox' ? 'sandbox' : 'production';
const app = { host: STORE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const client = new PurchaseClient({ ...app, environment, packageName: PACKAGE_NAME });
const sandbox = new DeveloperClient(app);

/** What was delivered and taken back, in a file. */
const ledger = new Set(existsSync(LEDGER) ? readFileSync(LEDGER, 'utf8').trim().split('\n') : []);

function write(line: string): void {
  if (ledger.has(line)) return;
  const file = openSync(LEDGER, 'a');
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
  ledger.add(line);
}

/** A status, or a body with its status. */
type Result = number | { readonly status: number; readonly body: object };

async function deliver(purchaseId: string, productId: string, order: string): Promise<Result> {
  const verified = await client.verifyPurchase({ purchaseId, productId, developerPayload: order });
  const delivered = `delivered ${purchaseId}`;
  if (!verified.isValid) {
    const { reason } = verified;
    if (reason === 'consumed' && ledger.has(delivered)) return 200;
    console.error('refused %j: %s', purchaseId, reason);
    return { status: 409, body: { reason } };
  }
  write(delivered);
  await client.consumeOnce({ purchaseId });
  return 200;
}

/** Only an id of this form has one spelling; verifyPurchase tests it by itself. */
const idForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,20}$/;

/** Returns undefined if the app has no such subscription. */
async function accessTo(firstPurchaseId: string): Promise<SubscriptionAccess | undefined> {
  if (!idForm.test(firstPurchaseId)) return undefined;
  try {
    const details = await client.getLastRecurringPurchaseDetails({ purchaseId: firstPurchaseId });
    const now = environment === 'sandbox' ? (await sandbox.getClock()).now : Date.now();
    return subscriptionAccess(details, { now });
  } catch (error) {
    if (error instanceof OpenTillError && error.code === 9001) return undefined;
    throw error;
  }
}

async function takeBackVoided(): Promise<200> {
  for await (const { purchaseId } of client.voidedPurchases()) {
    if (ledger.has(`delivered ${purchaseId}`)) write(`taken-back ${purchaseId}`);
  }
  return 200;
}

async function receive(body: string, headers: IncomingHttpHeaders): Promise<204 | 401> {
  try {
    await verifyWebhook({ body, headers, secrets: [WEBHOOK_SECRET] });
  } catch {
    return 401;
  }
  const { type, purchaseId, productId, record } = JSON.parse(body);
  if (type === 'purchase.completed') await deliver(purchaseId, productId, record.developerPayload);
  if (type === 'purchase.voided') await takeBackVoided();
  return 204;
}

async function respond(url: string, body: string, headers: IncomingHttpHeaders): Promise<Result> {
  if (url.startsWith('/access/')) {
    const access = await accessTo(url.slice('/access/'.length));
    return access === undefined ? 404 : { status: 200, body: access };
  }
  if (url === '/voided') return takeBackVoided();
  if (url === '/hooks') return receive(body, headers);
  const { purchaseId, productId, order } = JSON.parse(body);
  return deliver(purchaseId, productId, order);
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const result = await respond(request.url ?? '', body, request.headers).catch((error) => {
    console.error(error);
    return 503;
  });
  if (typeof result === 'number') response.writeHead(result).end();
  else {
    response.writeHead(result.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result.body));
  }
});

server.listen(Number(PORT), '127.0.0.1');
