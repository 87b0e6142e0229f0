// Retries, their backoff, timeouts and abort signals.

import { describe, expect, test } from 'vitest';
import { useForFile } from '../../../test/support/harness.ts';
import { OperatorClient, type OperatorClientOptions } from '../src/operator-client.ts';
import { realTiming } from '../src/timing.ts';
import { errorOf, type StagedApp, startClientStage, testTiming } from './client-stage.ts';

const stage = await useForFile(startClientStage());
const app = await stage.createApp();
await app.client.getAccessToken();

type Faults = Parameters<StagedApp['sandbox']['putFaults']>[0]['faults'];

/** Sets faults, and clears the recorded calls. */
async function meet(faults: Faults, { sandbox, called, pauses }: StagedApp = app): Promise<void> {
  await sandbox.putFaults({ faults });
  called.length = 0;
  pauses.length = 0;
}

const list = (options?: { signal?: AbortSignal }) => app.client.getVoidedPurchases({}, options);

describe('a call that only reads', () => {
  test.each([408, 502])('a read is retried after a response of %i', async (httpStatus) => {
    const loose = await stage.createApp({ fetch: (url, init) => fetch(url, init) });
    await meet([{ operation: 'getVoidedPurchases', httpStatus, times: 1 }], loose);
    expect(await loose.client.getVoidedPurchases()).toEqual({ voidedPurchaseList: [] });
    expect(loose.called).toEqual(['token', 'voided-purchases', 'voided-purchases']);
  });

  test('a read is retried with exponential backoff until it succeeds', async () => {
    await meet([{ operation: 'getVoidedPurchases', httpStatus: 500, times: 2 }]);
    expect(await list()).toEqual({ voidedPurchaseList: [] });
    expect(app.called).toHaveLength(3);
    expect(app.pauses).toEqual([200, 400]);
  });

  test('a read is retried if its connection is cut before or after the operation', async () => {
    await meet([
      { operation: 'getVoidedPurchases', cut: 'before', times: 1 },
      { operation: 'getVoidedPurchases', cut: 'after', times: 1 },
    ]);
    expect(await list()).toEqual({ voidedPurchaseList: [] });
    expect(app.called).toHaveLength(3);
  });

  test.each([{ code: 9101 }, { httpStatus: 501 }] as const)(
    'a rejected read is not retried: %j',
    async (fault) => {
      const loose = await stage.createApp({ fetch: (url, init) => fetch(url, init) });
      await loose.client.getAccessToken();
      await meet([{ operation: 'getVoidedPurchases', ...fault }], loose);
      await errorOf(loose.client.getVoidedPurchases());
      expect(loose.called).toEqual(['voided-purchases']);
    },
  );
});

test('a token request is retried although it is a POST', async () => {
  const fresh = await stage.createApp();
  await meet([{ operation: 'getAccessToken', cut: 'after', times: 2 }], fresh);
  await fresh.client.getVoidedPurchases();
  expect(fresh.called).toEqual(['token', 'token', 'token', 'voided-purchases']);
});

describe('a call that changes something', () => {
  const consume = async () => {
    const { purchaseId } = await app.sandbox.recordPurchase({ productId: 'coins' });
    return app.client.consumePurchase({ purchaseId });
  };

  test.each([429, 503])('a change is retried after %i with Retry-After', async (httpStatus) => {
    await meet([{ operation: 'consumePurchase', httpStatus, times: 1 }]);
    expect((await consume()).consumptionState).toBe(1);
    expect(app.called).toEqual(['consume', 'consume']);
    expect(app.pauses).toEqual([1_100]);
  });

  test.each([{ httpStatus: 500 }, { cut: 'before' }, { cut: 'after' }] as const)(
    'a change is not retried after %j, and the error has an unknown outcome',
    async (fault) => {
      await meet([{ operation: 'consumePurchase', ...fault }]);
      const error = await errorOf(consume());
      expect(error).toMatchObject({ operation: 'consumePurchase', isOutcomeUnknown: true });
      expect(app.called).toEqual(['consume']);
    },
  );

  test('the error of a change that is rejected after an attempt of unknown outcome has an unknown outcome', async () => {
    await meet([
      { operation: 'consumePurchase', httpStatus: 503, times: 1 },
      { operation: 'consumePurchase', code: 9201, times: 1 },
    ]);
    expect(await errorOf(consume())).toMatchObject({ code: 9201, isOutcomeUnknown: true });
  });
});

/** An operator client whose calls get this status with Retry-After. */
const responding = (status: number, options: Partial<OperatorClientOptions> = {}) => {
  const [calls, pauses] = [[] as string[], [] as number[]];
  const fetch = async (_: string, { method }: RequestInit) => {
    calls.push(method ?? '');
    return Response.json({}, { status, headers: { 'retry-after': '2' } });
  };
  const operatorKey = 'key-0123456789';
  const timing = testTiming(stage.server.clock, pauses);
  const host = stage.server.operatorUrl;
  const client = new OperatorClient({ host, operatorKey, fetch, timing, ...options });
  return { client, calls, pauses };
};

describe('a call of the operator API', () => {
  const product = { packageName: 'a', productId: 'b', type: 'oneTime', price: 1, currency: 'EUR' } as const;

  const thrice = ['PUT', 'PUT', 'PUT', 'DELETE', 'DELETE', 'DELETE'];

  test.each([
    [503, [...thrice, 'POST']],
    [429, [...thrice, 'POST', 'POST', 'POST']],
    [500, [...thrice, 'POST']],
    [409, ['PUT', 'DELETE', 'POST']],
  ])(
    'a call of the operator API that failed with %i is retried if that is safe',
    async (status, expected) => {
      const { client, calls } = responding(status);
      expect((await errorOf(client.putProduct(product))).httpStatus).toBe(status);
      expect((await errorOf(client.deleteWebhook(product))).httpStatus).toBe(status);
      expect((await errorOf(client.createApp({ packageName: 'a' }))).httpStatus).toBe(status);
      expect(calls).toEqual(expected);
    },
  );

  test('a call with a long Retry-After fails at once, and the error contains it', async () => {
    const headers = { 'retry-after': '31' };
    const { client, pauses } = responding(0, {
      fetch: async () => Response.json({}, { status: 503, headers }),
    });
    expect(await errorOf(client.listApps())).toMatchObject({ retryAfterMs: 31_000 });
    expect(pauses).toEqual([]);
  });

  test.each<[string, number?]>([
    ['7', 7_000],
    ['0.25', 250],
    [new Date(Date.UTC(2026, 2, 15, 12, 0, 9)).toUTCString(), 9_000],
    [new Date(Date.UTC(2026, 2, 15, 11)).toUTCString(), 0],
    ...['soon', '', '-5', '1e3', '2026-03-15'].map((no): [string] => [no]),
  ])('Retry-After is read as seconds, as a fraction and as a date: %s', async (text, retryAfterMs) => {
    const respond = async () => Response.json({}, { status: 404, headers: { 'retry-after': text } });
    const { client } = responding(0, { fetch: respond });
    expect((await errorOf(client.listApps())).retryAfterMs).toBe(retryAfterMs);
  });
});

test('an attempt without a response times out and is retried', async () => {
  let calls = 0;
  const fetch = async (_: string, { signal }: RequestInit): Promise<Response> => {
    calls += 1;
    if (calls > 1) return Response.json({ apps: [] });
    return await new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const { client } = responding(200, { fetch });
  expect(await client.listApps({}, { timeoutMs: 50 })).toEqual({ apps: [] });
  expect(calls).toBe(2);
});

describe('abort signals', () => {
  test('an aborted call rejects with the reason of its signal', async () => {
    await meet([{ operation: 'getVoidedPurchases', delayMs: 30_000 }]);
    const controller = new AbortController();
    const waiting = list({ signal: controller.signal });
    controller.abort(new Error('not wanted'));
    await expect(waiting).rejects.toThrow('not wanted');
    await meet([]);
  });

  test('a signal ends the pause before a retry', async () => {
    const controller = new AbortController();
    const { client } = responding(503, {
      timing: {
        ...realTiming,
        wait(ms, signal) {
          const waiting = realTiming.wait(ms, signal);
          controller.abort(new Error('not wanted'));
          return waiting;
        },
      },
    });
    await expect(client.listApps({}, { signal: controller.signal })).rejects.toThrow('not wanted');
  });
});
