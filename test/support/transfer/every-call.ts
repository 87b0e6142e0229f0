// Every call of the three APIs on a store, to which two servers must respond identically.

import { developerOperations } from '@opentill/contract/developer-api.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { adminKey, call, requestToken, type TestApp } from '../harness.ts';
import { bodies as sampleBodies } from '../http/sample-calls.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

/** The bodies of the operations; a missing one fails the test. */
const bodies: Readonly<Record<string, unknown>> = {
  ...sampleBodies,
  recordPurchase: { productId: 'coins', orderId: 'o-new' },
  // The number of erased rows depends on which calls have been logged.
  eraseBuyer: { buyerId: 'nobody' },
  // One charge stays pending, and is retried every minute.
  advanceClock: { by: 'P1D' },
  putFaults: [],
  putWebhook: { url: 'https://example.com/moved' },
};

/** The queries of an operation, each for a separate call. */
const queries: Readonly<Record<string, readonly string[]>> = {
  listPurchases: ['?purchaseId=p-0', '?orderId=o-1', '?buyerId=b', '?state=voided'],
  listActions: ['?packageName=com.example.a&pageSize=3'],
  getRenewals: ['', '?packageName=com.example.a'],
  getStatistics: ['?from=2026-03-01&to=2026-04-30'],
  search: ['?q=b', '?q=com.', '?q=o-1', '?q=p-0'],
  getVoidedPurchases: ['?maxResults=1', ''],
};

interface CallShape {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly bodyOptional?: true;
}

export interface EveryCall {
  readonly name: string;
  readonly make: (server: ServerAddress, accept?: string) => Promise<{ status: number; text: string }>;
}

/** What depends on when a store was filled. */
export interface Asked {
  /** The names of statements. */
  readonly months: readonly string[];
  /** By operation, instead of the other ones. */
  readonly queries?: Readonly<Record<string, readonly string[]>>;
}

/** Reads first, then changes, in the order of the contract; for a second app only the reads. */
export function everyCall(
  [first, second]: readonly [TestApp, TestApp],
  ids: readonly string[],
  asked: Asked = { months: ['2026-03', 'soFar'] },
): EveryCall[] {
  const values = {
    purchaseId: ids,
    firstPurchaseId: ids,
    productId: ['coins', 'monthly'],
    action: ['cancel', 'reactivate'],
    deliveryId: ['evt_moved', 'evt_none'],
    periodIndex: ['1'],
    attempt: ['1', '2'],
    name: asked.months,
  };
  const given = { values, queries: { ...queries, ...asked.queries } };
  const operatorCalls = (app: TestApp) =>
    operatorOperations.flatMap((shape) => callsOf(shape, 'operatorUrl', app, given));
  const calls = [
    ...[...purchaseOperations, ...eventsOperations, ...developerOperations.sandbox].flatMap((shape) =>
      callsOf(shape, 'publicUrl', first, given),
    ),
    ...operatorCalls(first),
    ...operatorCalls(second).filter(({ name }) => name.startsWith('GET ')),
  ];
  // The request log is not exported.
  const compared = calls.filter(({ name }) => !name.includes('/requests'));
  const rank = ({ name }: EveryCall) => (name.startsWith('GET') ? 0 : 1);
  return compared.toSorted((left, right) => rank(left) - rank(right));
}

function callsOf(
  { operationId, method, path, pathParameters, body, bodyOptional }: CallShape,
  listener: 'publicUrl' | 'operatorUrl',
  app: TestApp,
  { values, queries }: Readonly<Record<'values' | 'queries', Readonly<Record<string, readonly string[]>>>>,
): EveryCall[] {
  if (operationId === 'getAccessToken') {
    return [{ name: `${method} ${path}`, make: (server) => requestToken(server, app) }];
  }
  if (body !== undefined && bodyOptional !== true && bodies[operationId] === undefined) {
    throw new Error(`No body to send to ${operationId}.`);
  }
  const sent = body === undefined ? undefined : JSON.stringify(bodies[operationId] ?? {});
  const key = listener === 'publicUrl' ? app.token : adminKey;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let paths: readonly string[] = [path];
  for (const name of Object.keys(pathParameters)) {
    const choices = name === 'packageName' ? [app.packageName] : values[name];
    if (choices === undefined) throw new Error(`No values for the path parameter ${name}.`);
    paths = paths.flatMap((one) => choices.map((value) => one.replace(`:${name}`, value)));
  }
  const asked = paths.flatMap((one) => (queries[operationId] ?? ['']).map((query) => one + query));
  return asked.map((one) => ({
    name: `${method} ${one}`,
    make: (server, accept = 'application/json') =>
      call(server[listener] + one, {
        method,
        headers: { ...headers, accept },
        ...(sent !== undefined && { body: sent }),
      }),
  }));
}
