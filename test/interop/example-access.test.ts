// Access to a subscription, as the backends of examples/ respond.

import { type SubscriptionAccess, subscriptionAccess } from '@opentill/client';
import { expect, test } from 'vitest';
import { openApp, settingsOf, startBackend } from './example-backend.ts';
import { examples, installed } from './programs.ts';

test.each(installed(examples))(
  "$name responds whether a subscription gives access, by the app's own time",
  async (program) => {
    const app = await openApp();
    const { client, sandbox } = app;
    await sandbox.putClock({ mode: 'frozen' });
    await app.offer('monthly', 'subscription');
    await using backend = await startBackend(program, await settingsOf(app));
    const subscribe = async () => (await app.sell('order-1', { productId: 'monthly' })).purchaseId;
    /** The answer, which is that of the client. */
    const accessTo = async (firstPurchaseId: string): Promise<SubscriptionAccess> => {
      const details = await client.getLastRecurringPurchaseDetails({ purchaseId: firstPurchaseId });
      const { status, body } = await backend.get(`/access/${firstPurchaseId}`);
      expect(status).toBe(200);
      expect(body).toEqual(subscriptionAccess(details, await sandbox.getClock()));
      return body;
    };

    const [renewing, cancelled] = [await subscribe(), await subscribe()];
    await sandbox.cancelSubscription({ firstPurchaseId: cancelled });
    const active = { hasAccess: true, isPaymentOutstanding: false, willRenew: true };
    expect(await accessTo(renewing)).toMatchObject(active);
    expect(await accessTo(cancelled)).toMatchObject({ ...active, willRenew: false });

    await sandbox.putFaults({ faults: [{ operation: 'charge', outcome: 'declined' }] });
    await sandbox.advanceClock({ by: 'P1M' });
    const outstanding = { hasAccess: false, isPaymentOutstanding: true, willRenew: true };
    expect(await accessTo(renewing)).toMatchObject(outstanding);
    const ended = { hasAccess: false, isPaymentOutstanding: false, willRenew: false };
    expect(await accessTo(cancelled)).toMatchObject(ended);

    const { purchaseId: coins } = await app.sell('order-2');
    expect((await backend.get(`/access/${coins}`)).status).toBe(404);
    expect((await backend.get('/access/unknown')).status).toBe(404);
  },
);
