import { describe, expect, test } from 'vitest';
import { testNow, useForFile } from '../../../test/support/harness.ts';
import { DeveloperClient } from '../src/developer-client.ts';
import { PurchaseClient } from '../src/index.ts';
import { errorOf, startClientStage } from './client-stage.ts';

const stage = await useForFile(startClientStage());
const app = await stage.createApp();

describe('a purchase client', () => {
  test('the purchase client reads a one-time purchase by its id and by its product', async () => {
    const { client, sandbox } = app;
    const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order-1' });
    const details = await client.getPurchaseDetails({ purchaseId });
    expect(details).toMatchObject({ developerPayload: 'order-1', purchaseTime: testNow });
    expect(await client.getPurchaseDetailsByProductId({ purchaseId, productId: 'coins' })).toEqual(details);
    const other = await errorOf(client.getPurchaseDetailsByProductId({ purchaseId, productId: 'gems' }));
    expect(other).toMatchObject({ code: 9001, httpStatus: 404, isOutcomeUnknown: false });
    expect(other.requestId).toMatch(/^[\w-]+$/);
    expect(other.message).toMatch(/^getPurchaseDetailsByProductId: .+ \(9001, HTTP 404\)$/);
  });

  test('the purchase client reads and cancels a subscription', async () => {
    const { client, sandbox } = app;
    const { purchaseId } = await sandbox.recordPurchase({ productId: 'monthly' });
    const expiryTime = Date.UTC(2026, 3, 15, 12);
    const details = await client.getRecurringPurchaseDetails({ purchaseId });
    expect(details).toMatchObject({ startTime: testNow, expiryTime, autoRenewing: true, price: 499 });
    const last = await client.getLastRecurringPurchaseDetails({ purchaseId });
    expect(last).toMatchObject({ nextPaymentTime: expiryTime, lastPurchaseId: purchaseId });
    const cancel = { purchaseId, action: 'cancel' } as const;
    expect(await client.manageRecurringPaymentStatus(cancel)).toEqual({ responseCode: 0, purchaseId });
    expect(await client.manageRecurringPaymentStatus(cancel)).toEqual({ responseCode: 1, purchaseId });
  });

  test('the purchase client lists the events of its app page by page, without waiting if waitSeconds is 0', async () => {
    const own = await stage.createApp();
    const { purchaseId } = await own.sandbox.recordPurchase({ productId: 'coins' });
    await own.client.consumePurchase({ purchaseId });
    const first = await own.client.listEvents({ pageSize: 1 });
    expect(first).toMatchObject({ events: [{ type: 'purchase.completed', purchaseId }], hasMore: true });
    const { events, cursor } = await own.client.listEvents({ after: first.cursor });
    expect(events).toMatchObject([{ type: 'purchase.consumed', order: 2 }]);
    expect(await own.client.listEvents({ after: cursor, waitSeconds: 0 })).toMatchObject({ events: [] });
    const wrong = await errorOf(own.client.listEvents({ after: '999' }));
    expect(wrong.message).toMatch(/^listEvents: after: expected/);
  });

  test.each([{ clientId: '' }, { clientSecret: '' }, { host: 'http://iap.example.com' }])(
    'a client without valid credentials and host cannot be created: %j',
    (wrong) => {
      expect(() => new PurchaseClient({ ...app.options, ...wrong })).toThrow(TypeError);
      expect(() => new DeveloperClient({ ...app.options, ...wrong })).toThrow(TypeError);
    },
  );
});

test.each(['secret\n', ' secret', 'secret\r\n', '\ufeffsecret'])(
  'a client secret with whitespace around it is rejected by an error that does not repeat it: %j',
  (clientSecret) => {
    for (const Client of [PurchaseClient, DeveloperClient])
      expect(() => new Client({ ...app.options, clientSecret })).toThrow(
        new TypeError('clientSecret: expected no space or line break before or after it'),
      );
  },
);

describe('verifyPurchase', () => {
  const recorded = () => app.sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order-1' });
  const claim = { productId: 'coins', developerPayload: 'order-1' };

  test('verifyPurchase accepts a purchase that matches the claim', async () => {
    const { purchaseId } = await recorded();
    const verified = await app.client.verifyPurchase({ purchaseId, ...claim });
    expect(verified).toEqual({ isValid: true, details: await app.client.getPurchaseDetails({ purchaseId }) });
  });

  test.each([
    ['otherPayload', { developerPayload: '' }],
    ['notFound', { productId: 'monthly' }],
    ['notFound', { purchaseId: 'SANDBOX0000000000000' }],
  ])('verifyPurchase returns the reason why a purchase is invalid: %s %j', async (reason, wrong) => {
    const { purchaseId } = await recorded();
    const verified = await app.client.verifyPurchase({ purchaseId, ...claim, ...wrong });
    expect(verified).toMatchObject({ isValid: false, reason });
  });

  test('verifyPurchase accepts the consumption that the backend expects, and no voided purchase', async () => {
    const { purchaseId } = await recorded();
    const reasons = async () => {
      const expected = ['open', 'consumed', 'any'] as const;
      const verify = (consumption?: (typeof expected)[number]) =>
        app.client.verifyPurchase({ purchaseId, ...claim, consumption });
      const results = await Promise.all(expected.map(verify));
      return results.map((result) => (result.isValid ? 'valid' : result.reason));
    };
    expect(await reasons()).toEqual(['valid', 'notConsumed', 'valid']);
    await app.client.consumePurchase({ purchaseId });
    expect(await reasons()).toEqual(['consumed', 'valid', 'valid']);
    await app.sandbox.voidPurchase({ purchaseId });
    expect(await reasons()).toEqual(['voided', 'voided', 'voided']);
    const misspelled = app.client.verifyPurchase({ purchaseId, ...claim, consumption: 'Consumed' } as never);
    await expect(misspelled).rejects.toThrow('consumption: expected one of open, consumed, any');
  });

  test('verifyPurchase rejects a sandbox purchase id in production without a call', async () => {
    const { environment: _, ...options } = app.options;
    const client = new PurchaseClient({ ...options, fetch: async () => expect.fail('A call was sent.') });
    const verified = await client.verifyPurchase({ purchaseId: 'SANDBOX0123456789012', ...claim });
    expect(verified).toEqual({ isValid: false, reason: 'sandboxPurchase' });
  });

  test.each([
    { purchaseId: 'P-1/com.example.game/coins?' },
    { purchaseId: '' },
    { purchaseId: '..' },
    { purchaseId: 'P'.repeat(21) },
    { purchaseId: ['P-1'] },
    { productId: 'coins#' },
    { productId: 'p'.repeat(151) },
  ])('verifyPurchase does not send an id that is not of the form of one: %j', async (wrong) => {
    const fetch = async () => expect.fail('A call was sent.');
    const client = new PurchaseClient({ ...app.options, fetch, environment: 'production' });
    const verified = await client.verifyPurchase({ purchaseId: 'P-1', ...claim, ...wrong } as never);
    expect(verified).toEqual({ isValid: false, reason: 'notFound' });
  });

  test('verifyPurchase throws if the developerPayload is missing', async () => {
    const { purchaseId } = await recorded();
    const { developerPayload: _, ...rest } = claim;
    const verified = app.client.verifyPurchase({ purchaseId, ...rest } as never);
    await expect(verified).rejects.toThrow('developerPayload: expected a string');
  });
});
