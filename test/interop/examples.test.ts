// The backends of examples/ against a sandbox that loses responses, expels tokens and is overloaded.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '@opentill/server/testing';
import { expect, test } from 'vitest';
import { acceptsConnections, freePort } from '../../packages/server/test/documents/free-port.ts';
import { useForFile } from '../../packages/server/test/harness.ts';
import { outputOf } from '../../packages/server/test/process-output.ts';
import { waitFor } from '../../packages/server/test/wait-for.ts';
import { examples, installed, type Program } from './programs.ts';

/** On a busy machine, a compiler takes a minute. */
const timeout = 300_000;
const startMs = 120_000;
const deliveryMs = 30_000;
/** Longer than a backend needs to be killed while it waits for a consume. */
const consumeDelayMs = 30_000;
/** A page of the voided list has 100. */
const otherVoids = 100;

const { host, operator, createApp } = await useForFile(startSandbox());

interface Backend extends AsyncDisposable {
  post(path: string, body?: object): Promise<number>;
  kill(): Promise<void>;
}

async function startBackend(
  { command: [file, ...args], env }: Program,
  settings: Readonly<Record<string, string>> & { readonly PORT: string },
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
  await waitFor(isListening, { deadlineMs: startMs, what: `${file} that listens` }).catch(async (error) => {
    await kill();
    throw error;
  });
  const post = async (path: string, body = {}) => {
    const url = `http://127.0.0.1:${settings.PORT}${path}`;
    const { status } = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    if (status === 500) throw new Error(`The backend failed: ${output.stderr}`);
    return status;
  };
  return { post, kill, [Symbol.asyncDispose]: kill };
}

/** An app with its products, and what the store does for it. */
async function openApp() {
  const { options } = await createApp();
  const { packageName } = options;
  const product = { productId: 'coins', type: 'one_time', price: 1, currency: 'EUR' } as const;
  await operator.putProduct({ packageName, ...product });
  const sell = async (order: string) => {
    const sold = { packageName, productId: 'coins', developerPayload: order };
    const { purchaseId } = await operator.recordPurchase(sold);
    return { purchaseId, productId: 'coins', order };
  };
  const isConsumed = async ({ purchaseId }: { readonly purchaseId: string }) =>
    (await operator.getPurchase({ packageName, purchaseId })).consumptionState === 1;
  const revoke = ({ purchaseId }: { readonly purchaseId: string }) =>
    operator.voidPurchase({ packageName, purchaseId });
  const requestsOf = async (operationId: string) =>
    (await operator.listRequests({ packageName, operationId })).requests.length;
  return { options, packageName, sell, isConsumed, revoke, requestsOf };
}

test.each(installed(examples))(
  '$name delivers each purchase once and consumes it, whatever is lost or crashes, and takes back what was voided',
  { timeout },
  async (program) => {
    const { options, packageName, sell, isConsumed, revoke, requestsOf } = await openApp();
    const file = join(mkdtempSync(join(tmpdir(), 'opentill-example-')), 'ledger');
    const ledger = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
    const settings = {
      HOST: host,
      CLIENT_ID: options.clientId,
      CLIENT_SECRET: options.clientSecret,
      PACKAGE_NAME: packageName,
      WEBHOOK_SECRET: 'whsec_bm9uZQ==',
      LEDGER: file,
      PORT: String(await freePort()),
    };
    const read = 'getPurchaseDetailsByProductId';
    const consume = 'consumePurchase';
    const [lost, unsent, killed] = [await sell('order-1'), await sell('order-2'), await sell('order-3')];

    await using first = await startBackend(program, settings);
    await operator.putFaults({
      packageName,
      faults: [
        { operation: read, httpStatus: 503, times: 1 },
        { operation: consume, cut: 'after', times: 1 },
      ],
    });
    expect(await first.post('/purchases', lost)).toBe(200);
    await operator.expelTokens({ packageName });
    await operator.putFaults({
      packageName,
      faults: [
        { operation: read, httpStatus: 429, times: 1 },
        { operation: consume, cut: 'before', times: 1 },
      ],
    });
    const reports = [first.post('/purchases', unsent), first.post('/purchases', unsent)];
    expect(await Promise.all(reports)).toEqual([200, 200]);
    expect(await first.post('/purchases', { ...killed, order: 'order-4' })).toBe(409);
    expect(await first.post('/purchases', { ...killed, purchaseId: 'unknown' })).toBe(409);
    expect(await requestsOf('getAccessToken')).toBe(2);

    await operator.putFaults({
      packageName,
      faults: [{ operation: consume, delayMs: consumeDelayMs, cut: 'before' }],
    });
    const unanswered = expect(first.post('/purchases', killed)).rejects.toThrow();
    const isDelivered = () => ledger().includes(`delivered ${killed.purchaseId}`);
    await waitFor(isDelivered, { deadlineMs: deliveryMs, what: 'a delivery before its consume' });
    await first.kill();
    await unanswered;
    await operator.putFaults({ packageName, faults: [] });
    expect(await isConsumed(killed)).toBe(false);

    const PORT = String(await freePort());
    const webhook = await operator.putWebhook({ packageName, url: `http://127.0.0.1:${PORT}/hooks` });
    const WEBHOOK_SECRET = 'secret' in webhook ? webhook.secret : '';
    await using second = await startBackend(program, { ...settings, PORT, WEBHOOK_SECRET });
    expect(await second.post('/purchases', killed)).toBe(200);
    const delivered = [lost, unsent, killed].map(({ purchaseId }) => `delivered ${purchaseId}`);
    expect(ledger()).toEqual(delivered);
    expect(await second.post('/hooks', { type: 'purchase.voided' })).toBe(401);

    const notified = await sell('order-5');
    const isNotified = () => ledger().at(-1) === `delivered ${notified.purchaseId}`;
    await waitFor(isNotified, { deadlineMs: deliveryMs, what: 'a delivery after a webhook' });
    await waitFor(() => isConsumed(notified), { deadlineMs: deliveryMs, what: 'its consume' });
    await revoke(notified);
    const isTakenBack = () => ledger().at(-1) === `taken-back ${notified.purchaseId}`;
    await waitFor(isTakenBack, { deadlineMs: deliveryMs, what: 'a webhook about a void' });
    await operator.deleteWebhook({ packageName });

    for (let index = 0; index < otherVoids; index += 1) await revoke(await sell(`other-${index}`));
    await revoke(lost);
    expect(await second.post('/voided')).toBe(200);
    expect(ledger()).toEqual([
      ...delivered,
      `delivered ${notified.purchaseId}`,
      `taken-back ${notified.purchaseId}`,
      `taken-back ${lost.purchaseId}`,
    ]);
    for (const purchase of [lost, unsent, killed, notified]) expect(await isConsumed(purchase)).toBe(true);
  },
);
