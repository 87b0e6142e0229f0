// The backend of an app on Node.js 24 with @opentill/client, which handles tokens and retries (../README.md).

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { PurchaseClient, verifyWebhook } from '@opentill/client';

const { HOST = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE_NAME = '', LEDGER = '' } = process.env;
const { WEBHOOK_SECRET = '', PORT = '' } = process.env;

const client = new PurchaseClient({
  host: HOST,
  environment: 'sandbox',
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  packageName: PACKAGE_NAME,
});

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

async function deliver(purchaseId: string, productId: string, order: string): Promise<200 | 409> {
  const verified = await client.verifyPurchase({ purchaseId, productId, developerPayload: order });
  const delivered = `delivered ${purchaseId}`;
  if (!verified.isValid) return verified.reason === 'consumed' && ledger.has(delivered) ? 200 : 409;
  write(delivered);
  await client.consumeOnce({ purchaseId });
  return 200;
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

async function respond(url: string, body: string, headers: IncomingHttpHeaders): Promise<number> {
  if (url === '/voided') return takeBackVoided();
  if (url === '/hooks') return receive(body, headers);
  const { purchaseId, productId, order } = JSON.parse(body);
  return deliver(purchaseId, productId, order);
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const status = await respond(request.url ?? '', body, request.headers).catch((error) => {
    console.error(error);
    return 503;
  });
  response.writeHead(status).end();
});

server.listen(Number(PORT), '127.0.0.1');
