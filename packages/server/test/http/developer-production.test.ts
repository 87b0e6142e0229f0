// The developer API in production: what it shows, what it asks for, and what a leaked token or a wrong secret can do.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import {
  adminKey,
  call,
  freshDatabase,
  issueToken,
  newTestApp,
  operatorOf,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, urlOf } from '../../../../test/support/http/checked-call.ts';
import {
  allRows,
  callOn,
  createFullApp,
  type FullApp,
  productionApi,
  productionEnv,
  productionOperations,
  validBodies,
  validQueries,
} from '../../../../test/support/http/developer-stage.ts';
import { withUnknown } from '../../../../test/support/http/sample-calls.ts';

const logLines: string[] = [];
const database = await useForFile(freshDatabase());
const server = await useTestServer({ database, env: productionEnv, logLines });
const reading = await useTestServer({ database, env: { ...productionEnv, OPENTILL_DEVELOPER_API: 'read' } });
const other = await createFullApp(server, 'com.example.marked-other');

const declared = new Map<string, OperatorOperation>(
  operatorOperations.map((operation) => [operation.operationId, operation]),
);

/** Calls with own, foreign and impossible ids, with each filter of the operator API, and with bodies and secrets of any kind. */
function callsOf({ operationId, pathParameters }: DeveloperOperation, app: FullApp) {
  const texts = fc.constantFrom(
    '1',
    'coins',
    'voided',
    'active',
    '2026-03-01',
    String(testNow),
    'no such id',
  );
  const ids = fc.constantFrom(...Object.values(app.ids), ...Object.values(other.ids), 'none', '..%00');
  const path = Object.keys(pathParameters).map((name) => {
    const own = fc.constantFrom(app.ids[name] ?? 'coins', other.ids[name] ?? 'coins');
    return [name, fc.oneof(own, ids)] as const;
  });
  const names = [
    'packageName',
    'unknown',
    ...Object.keys(declared.get(operationId)?.query?.properties ?? {}),
  ];
  const filters = fc.dictionary(fc.constantFrom(...names), fc.oneof(texts, ids), { maxKeys: 2 });
  const body = validBodies[operationId] ?? {};
  return fc.record({
    path: fc.record(Object.fromEntries(path)),
    query: filters.map((query) => ({ ...validQueries[operationId], ...query })),
    body: fc.constantFrom(undefined, body, withUnknown(body), { note: 'own', force: true }, []),
    secret: fc.constantFrom('right', 'wrong', undefined),
  });
}

test.each(productionOperations.map((operation) => [operation.operationId, operation] as const))(
  '%s of production shows nothing of a buyer, an operator or another app, whatever it is called with',
  async (operationId, operation) => {
    const app = await createFullApp(server, `com.example.own-${operationId.toLowerCase()}`);
    let { clientSecret } = app;
    const statuses = new Set<number>();
    const property = fc.asyncProperty(callsOf(operation, app), async ({ secret, body, ...sent }) => {
      const response = await callDeveloper(server, operation, {
        ...sent,
        ...(operation.body !== undefined && { body }),
        key: await issueToken(server, { ...app, clientSecret }),
        secret: secret === 'right' ? clientSecret : secret,
      });
      clientSecret = response.body?.clientSecret ?? clientSecret;
      statuses.add(response.status);
      expect(response.status).toBeLessThan(500);
      for (const text of [...app.hidden, ...other.hidden]) expect(response.text).not.toContain(text);
      expect(response.text).not.toContain(`"packageName":"${other.packageName}"`);
    });
    const valid = { path: app.ids, query: validQueries[operationId] ?? {}, body: validBodies[operationId] };
    const examples = [[{ ...valid, secret: 'right' }]] as unknown as [never][];
    await fc.assert(property, { numRuns: 40, examples });
    expect([...statuses].some((status) => status < 300)).toBe(true);
  },
);

test('in production no filter tells whether a buyer exists', async () => {
  const app = await createFullApp(server, 'com.example.asked');
  for (const operation of [productionApi.listPurchases, productionApi.listSubscriptions]) {
    const ask = (buyerId: string) => callDeveloper(server, operation, { key: app.token, query: { buyerId } });
    const [known, unknown] = [await ask('marked-buyer-of-com-example-asked'), await ask('nobody')];
    expect([known.status, known.text]).toEqual([400, unknown.text]);
  }
});

const changing = productionOperations.filter(({ method }) => method !== 'GET');

test('a change by a developer is an action of the app, with its address and request id', async () => {
  for (const operation of changing) {
    const { operationId } = operation;
    const app = await createFullApp(server, `com.example.acts-${operationId.toLowerCase()}`);
    const { packageName } = app;
    const response = await callOn(server, operation, app, app.clientSecret);
    expect(response.status, response.text).toBeLessThan(300);
    const requestId = response.headers.get('x-request-id');
    const by = { madeBy: 'app', clientAddress: '127.0.0.1', requestId, operationId };
    expect((await listedActions(server, { packageName, operationId, by: 'app' }))[0]).toMatchObject(by);
    expect(
      logLines.find((line) => line.includes('"code":"action"') && line.includes(`${requestId}`)),
    ).toMatch(/"by":"app".*"address":"127.0.0.1"/);
  }
});

test('a disabled app, an expelled token and an operator key get 401 on every server', async () => {
  const [disabled, expelled] = [await newTestApp(server), await newTestApp(server)];
  await operatorOf(server).updateApp({ packageName: disabled.packageName, disabled: true });
  await operatorOf(server).expelTokens({ packageName: expelled.packageName });
  for (const operation of productionOperations) {
    for (const key of [disabled.token, expelled.token, adminKey]) {
      const response = await callDeveloper(server, operation, {
        key,
        path: other.ids,
        secret: disabled.clientSecret,
      });
      expect(response.status).toBe(401);
    }
  }
});

test('a store that opens reading alone has the reads, and no path that changes something', async () => {
  const app = await createFullApp(server, 'com.example.reading');
  // A report counts what has just changed.
  await operatorOf(server).getStatistics({
    ...{ packageName: 'com.example.reading', from: '2026-03-01', to: '2026-03-31' },
  });
  const before = await allRows(server);
  for (const operation of productionOperations) {
    const { operationId, method } = operation;
    const response = await call(
      reading.publicUrl + urlOf(operation, { path: app.ids, query: validQueries[operationId] ?? {} }),
      {
        method,
        headers: { authorization: `Bearer ${app.token}`, 'x-client-secret': app.clientSecret },
      },
    );
    if (method === 'GET') expect([operationId, response.status]).toEqual([operationId, 200]);
    else expect([404, 405]).toContain(response.status);
  }
  expect(await allRows(server)).toBe(before);
});

test('what only a sandbox has does not exist in production, although the developer API is open', async () => {
  const ids = productionOperations.map(({ operationId }) => operationId);
  for (const operation of developerOperations.sandbox) {
    if (ids.includes(operation.operationId)) continue;
    const { method } = operation;
    const headers = { authorization: `Bearer ${other.token}` };
    const { status } = await call(server.publicUrl + urlOf(operation, { path: other.ids }), {
      method,
      headers,
    });
    expect([404, 405]).toContain(status);
  }
});
