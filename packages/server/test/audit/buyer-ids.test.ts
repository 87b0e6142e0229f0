// Where the id of a buyer may be: in no log and no action, and after an erasure nowhere.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { TObject } from 'typebox';
import { expect, test } from 'vitest';
import {
  adminKey,
  call,
  createTestApp,
  type HttpResponse,
  operate,
  operatorOf,
  recordKey,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { urlOf } from '../../../../test/support/http/checked-call.ts';
import { bodies, path, queries } from '../../../../test/support/http/sample-calls.ts';
import { exportedWithAllActions } from '../../../../test/support/transfer/transfer.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { columnsWith } from '../columns-with.ts';

const buyerId = 'customer-7731';

const logLines: string[] = [];
const server = await useTestServer({ logLines });
const app = await createTestApp(server, path.packageName);
const { packageName } = app;
const bought = { buyerId, developerPayload: `payload of ${buyerId}` };

interface Parameter {
  readonly operation: DeveloperOperation;
  readonly isDeveloper: boolean;
  readonly place: 'query' | 'body';
  readonly name: string;
}

/** The parameters of the contract that are, or whose description says that they may be, the id of a buyer. */
const parameters = [
  ...operatorOperations.map((operation) => ({ operation, isDeveloper: false })),
  ...developerOperations.sandbox.map((operation) => ({ operation, isDeveloper: true })),
].flatMap(({ operation, isDeveloper }): Parameter[] => {
  const { query, body } = operation as DeveloperOperation;
  return (['query', 'body'] as const).flatMap((place) =>
    Object.entries((place === 'query' ? query : (body as TObject | undefined))?.properties ?? {})
      .filter(([name, schema]) =>
        /buyer/i.test(`${name} ${(schema as { description?: string }).description}`),
      )
      .map(([name]) => ({ operation, isDeveloper, place, name })),
  );
});

/** The calls with the id in a parameter: accepted or refused, as JSON and as a file. */
async function callsWith({ operation, isDeveloper, place, name }: Parameter): Promise<HttpResponse[]> {
  const { operationId, method } = operation;
  const ofBuyer = { [name]: buyerId };
  const sent = place === 'body' ? { ...bodies[operationId], ...ofBuyer } : undefined;
  const listener = isDeveloper ? server.publicUrl : server.operatorUrl;
  const make = (query: object, key: string, accept = 'application/json') =>
    call(listener + urlOf(operation, { path, query: { ...query } }), {
      method,
      headers: { accept, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
  const query = place === 'query' ? { ...queries[operationId], ...ofBuyer } : {};
  const key = isDeveloper ? app.token : adminKey;
  return [
    await make(query, key),
    await make(query, key, 'text/csv'),
    await make({ ...query, unknown: buyerId }, key),
    await make(query, recordKey),
    await make(query, `${key}x`),
  ];
}

/** All lines until now: that of a call is written after its response. */
async function logged(): Promise<string> {
  const { headers } = await operate(server, 'GET', '/apps');
  const requestId = headers.get('x-request-id') as string;
  await waitFor(async () => logLines.some((line) => line.includes(requestId)), { what: 'the last line' });
  return logLines.join('\n');
}

test('no operation writes the id of a buyer to the log or an action, and after its erasure no table and no export has it', async () => {
  const named = parameters.map(({ operation, isDeveloper, name }) =>
    [isDeveloper ? 'developer' : 'operator', operation.operationId, name].join(' '),
  );
  expect(named.sort()).toEqual([
    'developer listPurchases buyerId',
    'developer listSubscriptions buyerId',
    'developer recordPurchase buyerId',
    'operator eraseBuyer buyerId',
    'operator listPurchases buyerId',
    'operator listPurchases id',
    'operator listSubscriptions buyerId',
    'operator listSubscriptions id',
    'operator recordPurchase buyerId',
    'operator search q',
  ]);
  await recordTestPurchase(server, app, { ...bought, purchaseId: path.purchaseId });
  const subscribed = { ...bought, purchaseId: path.firstPurchaseId, productId: 'monthly' };
  await recordTestPurchase(server, app, subscribed);
  for (const parameter of parameters) {
    const responses = await callsWith(parameter);
    const statuses = responses.map(({ status }) => status);
    expect(statuses[0], `${parameter.operation.operationId} ${responses[0]?.text}`).toBeOneOf([
      200, 201, 409,
    ]);
    expect(statuses.at(-1)).toBe(401);
  }
  const wrongPath = `${server.publicUrl}/v2/purchases?buyerId=${buyerId}&id=${buyerId}`;
  await call(wrongPath, { headers: { authorization: `Bearer ${app.token}` } });
  const ofPurchases = ['purchase.buyer_id', 'purchase.developer_payload'];
  const ofSubscriptions = ['subscription.buyer_id', 'subscription.developer_payload'];
  const stored = ['event.record', ...ofPurchases, ...ofSubscriptions];
  expect(await columnsWith(server.connection, buyerId)).toEqual(stored);

  const operator = operatorOf(server);
  await operator.cancelSubscription({ packageName, firstPurchaseId: path.firstPurchaseId });
  expect(await operator.eraseBuyer({ buyerId, ticket: 'T-1' })).toMatchObject({ done: true });
  expect(await columnsWith(server.connection, buyerId)).toEqual([]);
  const file = await exportedWithAllActions(server.connection);
  expect(file).toContain(path.firstPurchaseId);
  expect(file).not.toContain(buyerId);
  expect(await logged()).not.toContain(buyerId);
});
