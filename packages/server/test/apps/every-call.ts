// One call of each kind that needs the database, and the expected responses while it is unavailable.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { errors } from '@opentill/contract/errors.ts';
import { expect } from 'vitest';
import {
  call,
  type HttpResponse,
  operate,
  recordTestPurchase,
  requestToken,
  type TestApp,
  untilAvailable,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { goodHeaders, pathOf } from '../../../../test/support/http/purchase-call.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { goodCalls } from '../http/purchase-operations.ts';

export interface Stage {
  readonly server: ServerAddress;
  readonly app: TestApp;
  readonly purchaseId: string;
  readonly subscriptionId: string;
}

export async function makeStage(server: ServerAddress, app: TestApp): Promise<Stage> {
  const purchase = await untilAvailable(() => recordTestPurchase(server, app));
  const subscription = await untilAvailable(() => recordTestPurchase(server, app, { productId: 'monthly' }));
  return { server, app, purchaseId: purchase.purchaseId, subscriptionId: subscription.purchaseId };
}

type Calls = Readonly<Record<string, () => Promise<HttpResponse>>>;

export function everyCall({ server, app, purchaseId, subscriptionId }: Stage): Calls {
  const { token, packageName } = app;
  const ids: Readonly<Record<string, string>> = { 'P-1': purchaseId, 'S-1': subscriptionId };
  const purchaseApi = goodCalls.map(({ operationId, operation, path }) => {
    const values = { ...path, packageName, purchaseId: ids[path['purchaseId'] ?? ''] ?? '' };
    const url = server.publicUrl + pathOf(operation, values);
    return [operationId, () => call(url, { method: operation.method, headers: goodHeaders(app) })] as const;
  });
  const operatorApi = (method: string, path: string, body?: unknown) => () =>
    operate(server, method, `/apps/${packageName}${path}`, body === undefined ? {} : { body });
  return {
    ...Object.fromEntries(purchaseApi),
    getAccessToken: () => requestToken(server, app),
    listEvents: () =>
      call(`${server.publicUrl}/events/v1/events`, { headers: { authorization: `Bearer ${token}` } }),
    listEventsAsOperator: operatorApi('GET', '/events'),
    recordPurchase: operatorApi('POST', '/purchases', { productId: 'coins' }),
    voidPurchase: operatorApi('POST', `/purchases/${purchaseId}/void`),
    getPurchase: operatorApi('GET', `/purchases/${purchaseId}`),
    listPurchases: () => operate(server, 'GET', `/purchases?packageName=${packageName}`),
    getSubscription: operatorApi('GET', `/subscriptions/${subscriptionId}`),
    getApp: operatorApi('GET', ''),
    sandboxRecordPurchase: () =>
      callDeveloper(server, developerApi.recordPurchase, { key: token, body: { productId: 'coins' } }),
    sandboxListPurchases: () => callDeveloper(server, developerApi.listPurchases, { key: token }),
  };
}

/** Checks the 503 of each listener: with Retry-After, and without internal text. */
export function expectUnavailable(name: string, response: HttpResponse): void {
  const { status, headers, body, text } = response;
  expect(status, `${name}: ${text}`).toBe(errors.unavailable.status);
  expect(headers.get('retry-after'), name).toBe('1');
  expect(headers.get('content-type'), name).toMatch(/^application\/(?:problem\+)?json;charset=utf-8$/);
  if (body.type === undefined) {
    const { code, title } = errors.unavailable;
    expect(text, name).toBe(JSON.stringify({ error: { code, message: title } }));
  } else {
    expect(body.status, name).toBe(errors.unavailable.status);
    expect(text, name).not.toMatch(/timeout|terminated|ECONN|postgres/i);
  }
}

/** Sends each call `times` times concurrently, and checks the responses. */
export async function expectResponses(
  calls: Calls,
  times: number,
  expectOf: (name: string, response: HttpResponse) => void,
): Promise<void> {
  const runs = Object.entries(calls).flatMap(([name, run]) =>
    Array.from({ length: times }, async () => expectOf(name, await run())),
  );
  await Promise.all(runs);
}
