// The backends of examples/ against a sandbox that loses responses, expels tokens and is overloaded.

import { expect, test } from 'vitest';
import { freePort } from '../support/documents/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { linesOf, openApp, operator, settingsOf, startBackend } from './example-backend.ts';
import { examples, installed } from './programs.ts';

/** Longer than a backend needs to be killed while it waits for a consume. */
const consumeDelayMs = 30_000;
/** A page of the voided list has 100. */
const otherVoids = 100;

test.each(installed(examples))(
  '$name delivers each purchase once and consumes it, whatever is lost or crashes, and takes back what was voided',
  async (program) => {
    const app = await openApp();
    const { packageName, sell, isConsumed, revoke, called } = app;
    const settings = await settingsOf(app);
    const ledger = () => linesOf(settings);
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
    expect(await first.refusal({ ...killed, order: 'order-4' })).toBe('otherPayload');
    expect(await first.refusal({ ...killed, purchaseId: 'unknown' })).toBe('notFound');
    expect((await called()).filter((operation) => operation === 'getAccessToken')).toHaveLength(2);

    await operator.putFaults({
      packageName,
      faults: [{ operation: consume, delayMs: consumeDelayMs, cut: 'before' }],
    });
    const refused = expect(first.post('/purchases', killed)).rejects.toThrow();
    const isDelivered = () => ledger().includes(`delivered ${killed.purchaseId}`);
    await waitFor(isDelivered, { what: 'a delivery before its consume' });
    await first.kill();
    await refused;
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
    await waitFor(isNotified, { what: 'a delivery after a webhook' });
    await waitFor(() => isConsumed(notified), { what: 'its consume' });
    await revoke(notified);
    const isTakenBack = () => ledger().at(-1) === `taken-back ${notified.purchaseId}`;
    await waitFor(isTakenBack, { what: 'a webhook about a void' });
    await operator.deleteWebhook({ packageName });

    const elsewhere = await sell('order-6');
    await app.client.consumePurchase({ purchaseId: elsewhere.purchaseId });
    expect(await second.refusal(elsewhere)).toBe('consumed');

    for (let index = 0; index < otherVoids; index += 1) await revoke(await sell(`other-${index}`));
    await revoke(lost);
    expect(await second.post('/voided')).toBe(200);
    expect(await second.refusal(lost)).toBe('voided');
    expect(ledger()).toEqual([
      ...delivered,
      `delivered ${notified.purchaseId}`,
      `taken-back ${notified.purchaseId}`,
      `taken-back ${lost.purchaseId}`,
    ]);
    for (const purchase of [lost, unsent, killed, notified]) expect(await isConsumed(purchase)).toBe(true);
  },
);
