// A backend of examples/ as a process, and the app that it serves.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PurchaseClient } from '@opentill/client';
import { DeveloperClient } from '@opentill/client/developer';
import { OperatorClient } from '@opentill/client/operator';
import { acceptsConnections, freePort } from '../support/documents/free-port.ts';
import type { HttpResponse } from '../support/harness.ts';
import { sendRequest } from '../support/http/sent-request.ts';
import { outputOf } from '../support/process-output.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Program } from './programs.ts';

interface Backend extends AsyncDisposable {
  /** The status of a POST. */
  post(path: string, body?: object): Promise<number>;
  /** The reason with which it refuses a report, which is also logged. */
  refusal(report: object): Promise<string>;
  /** Sends the path as it is. */
  get(path: string): Promise<HttpResponse>;
  kill(): Promise<void>;
}

export type Settings = Readonly<Record<string, string>> & { readonly PORT: string };

/** The sandbox of `opentill exec`, with which `npm run test:interop` runs the tests. */
const { STORE_URL = '', OPENTILL_OPERATOR_URL = '', OPENTILL_OPERATOR_KEY = '' } = process.env;

export const storeUrl = STORE_URL;

/** Where its OpenAPI document is. */
export const documentUrl = `${OPENTILL_OPERATOR_URL}/docs/json`;

export const operator = new OperatorClient({
  host: OPENTILL_OPERATOR_URL,
  operatorKey: OPENTILL_OPERATOR_KEY,
});

/** The environment of a backend of an app, with a free port and a ledger of its own. */
export async function settingsOf({ options }: Pick<StagedApp, 'options'>): Promise<Settings> {
  const folder = mkdtempSync(join(tmpdir(), 'opentill-example-'));
  return {
    STORE_URL,
    ENVIRONMENT: 'sandbox',
    CLIENT_ID: options.clientId,
    CLIENT_SECRET: options.clientSecret,
    PACKAGE_NAME: options.packageName,
    WEBHOOK_SECRET: 'whsec_bm9uZQ==',
    LEDGER: join(folder, 'ledger'),
    PORT: String(await freePort()),
  };
}

export function linesOf({ LEDGER = '' }: Settings): string[] {
  return existsSync(LEDGER) ? readFileSync(LEDGER, 'utf8').split('\n').slice(0, -1) : [];
}

export async function startBackend(
  { command: [file, ...args], env }: Program,
  settings: Settings,
): Promise<Backend> {
  // A group of its own, since some commands compile the program and start it as a child.
  const child = spawn(file, args, { detached: true, env: { ...process.env, ...env, ...settings } });
  const output = outputOf(child);
  const isListening = () => {
    if (child.exitCode !== null) throw new Error(`The backend ended: ${output.stderr}`);
    return acceptsConnections(Number(settings.PORT));
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-(child.pid as number), 'SIGKILL');
    await once(child, 'close');
  };
  await waitFor(isListening, { what: `${file} that listens` }).catch(async (error) => {
    await kill();
    throw error;
  });
  const send = async (method: string, path: string, body?: string) => {
    const parts = { method, path, ...(body !== undefined && { body }) };
    const response = await sendRequest(`http://127.0.0.1:${settings.PORT}`, parts);
    if (response.status === 500) throw new Error(`The backend failed: ${output.stderr}`);
    return response;
  };
  const get = (path: string) => send('GET', path);
  const post = async (path: string, body = {}) => (await send('POST', path, JSON.stringify(body))).status;
  const refusal = async (report: object) => {
    const { status, text } = await send('POST', '/purchases', JSON.stringify(report));
    if (status !== 409) throw new Error(`expected 409, got ${status}`);
    const { reason } = JSON.parse(text);
    const isLogged = () => output.stderr.includes(`: ${reason}`);
    await waitFor(isLogged, { what: `a refusal with ${reason} in the log` });
    return reason;
  };
  return { get, post, refusal, kill, [Symbol.asyncDispose]: kill };
}

export type StagedApp = Awaited<ReturnType<typeof openApp>>;

/** An app with its products, and what the store does for it. */
export async function openApp() {
  const packageName = `com.example.${randomUUID().replaceAll('-', '')}`;
  const { clientId, clientSecret } = await operator.createApp({ packageName });
  const options = { host: storeUrl, environment: 'sandbox', clientId, clientSecret, packageName } as const;
  const [client, sandbox] = [new PurchaseClient(options), new DeveloperClient(options)];
  const offer = (productId: string, type: 'oneTime' | 'subscription' = 'oneTime') =>
    operator.putProduct({ packageName, productId, type, price: 1, currency: 'EUR' });
  await offer('coins');
  const sell = async (
    order: string,
    { productId = 'coins', ...ids }: { productId?: string; purchaseId?: string } = {},
  ) => {
    const sold = { packageName, productId, developerPayload: order, ...ids };
    const { purchaseId } = await operator.recordPurchase(sold);
    return { purchaseId, productId, order };
  };
  const isConsumed = async ({ purchaseId }: { readonly purchaseId: string }) =>
    (await operator.getPurchase({ packageName, purchaseId })).consumptionState === 1;
  const revoke = ({ purchaseId }: { readonly purchaseId: string }) =>
    operator.voidPurchase({ packageName, purchaseId });
  /** The operations that the backend has called, newest first. */
  const called = async () =>
    (await operator.listRequests({ packageName })).requests.map(({ operationId }) => operationId);
  return { options, packageName, client, sandbox, offer, sell, isConsumed, revoke, called };
}
