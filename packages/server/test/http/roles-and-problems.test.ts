// The properties of all operations of the operator API: keys, roles and problems.

import { readdir } from 'node:fs/promises';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import { describe, expect, test } from 'vitest';
import {
  adminKey,
  call,
  createTestApp,
  operate,
  readKey,
  recordKey,
  recordTestPurchase,
  supportKey,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator, expectAsListed, urlOf } from '../../../../test/support/http/checked-call.ts';
import {
  bodies,
  closedUrl,
  path,
  pathFor,
  queries,
  withUnknown,
} from '../../../../test/support/http/sample-calls.ts';
import { insertPaidAttempt } from '../../../../test/support/stage.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';

const operations: readonly OperatorOperation[] = operatorOperations;
/** All but createSession, whose body identifies the caller. */
const keyed = operations.filter(({ signsIn }) => signsIn !== true);
const listing = (error: OperatorOperation['errors'][number]) =>
  operations
    .filter(({ errors }) => errors.includes(error))
    .map((operation) => [operation.operationId, operation] as const);

const keys: Readonly<Record<Role, string>> = {
  record: recordKey,
  read: readKey,
  support: supportKey,
  admin: adminKey,
};

const server = await useTestServer();
const app = await createTestApp(server, path.packageName);
await recordTestPurchase(server, app, { purchaseId: path.purchaseId });
await recordTestPurchase(server, app, { purchaseId: path.firstPurchaseId, productId: 'monthly' });
await insertPaidAttempt(server, app, path.firstPurchaseId);
await createTestApp(server, 'com.example.emptied');
for (const packageName of [path.packageName, 'com.example.emptied']) {
  await operate(server, 'PUT', `/apps/${packageName}/webhook`, { body: { url: closedUrl } });
  await operate(server, 'POST', `/apps/${packageName}/webhook/test`);
}
await using delivering = openJob(server);
await delivering.job.runOnce();
const listed = await operate(server, 'GET', `/apps/${path.packageName}/webhook/deliveries`);
path.deliveryId = listed.body.deliveries[0].id;

const allowed = keyed.flatMap((operation) =>
  (['record', 'read', 'support', 'admin'] as const).map(
    (role) => [operation.operationId, role, operation.roles.includes(role), operation] as const,
  ),
);

test('every operation is in a contract file that is named after it', async () => {
  const folder = new URL('.', import.meta.resolve('@opentill/contract/operator-api/operator-operation.ts'));
  const files = operations.map(({ operationId }) => `${operationId}.ts`);
  expect(await readdir(folder)).toEqual(expect.arrayContaining(files));
});

describe('roles', () => {
  test('record keys record and read, read keys read, support keys also void and manage subscriptions, admin keys do everything', () => {
    const of = (role: Role) => keyed.filter(({ roles }) => roles.includes(role));
    const idsOf = (some: readonly OperatorOperation[]) => some.map(({ operationId }) => operationId).sort();
    expect(idsOf(of('record'))).toEqual([
      'getClock',
      'getPurchase',
      'getSubscription',
      'listProducts',
      'recordConsumption',
      'recordPurchase',
    ]);
    const reading = keyed.filter(({ method }) => method === 'GET');
    expect(idsOf(of('read'))).toEqual([...idsOf(reading), 'deleteSession'].sort());
    expect(idsOf(of('support').filter(({ method }) => method !== 'GET'))).toEqual([
      'cancelSubscription',
      'changeRenewalPrice',
      'deleteSession',
      'extendSubscription',
      'reactivateSubscription',
      'recordConsumption',
      'redeliver',
      'redeliverFailed',
      'testWebhook',
      'voidPurchase',
    ]);
    expect(of('admin')).toEqual(keyed);
  });

  test.each(allowed)('%s with a %s key is allowed: %s', async (operationId, role, isAllowed, operation) => {
    const body = bodies[operationId];
    const query = queries[operationId] ?? {};
    const call = { path: pathFor(operation), query, body, key: keys[role] };
    const response = await callOperator(server, operation, call);
    if (isAllowed) {
      // A repeated create or cancel gets 409, so the role was accepted.
      expect([200, 201, 204, 409]).toContain(response.status);
    } else {
      expect(response.status).toBe(403);
      expect(response.body.type).toBe('/docs/problems#forbidden');
      for (const allowedRole of operation.roles) expect(response.body.detail).toContain(allowedRole);
    }
  });

  test.each(keyed.map((operation) => [operation.operationId, operation] as const))(
    '%s without a key, with a wrong one or in another form is rejected with 401',
    async (_, operation) => {
      const url = server.operatorUrl + urlOf(operation, { path });
      // Wrong keys are limited per minute.
      await server.clock.advance(60_000);
      for (const authorization of ['', 'Bearer wrong', `bearer ${adminKey}`]) {
        const response = await call(url, { method: operation.method, headers: { authorization } });
        expectAsListed(operation, response);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect(response.body.type).toBe('/docs/problems#unauthorized');
      }
    },
  );
});

describe('problems', () => {
  test.each(listing('notFound').filter(([, { pathParameters }]) => 'packageName' in pathParameters))(
    '%s returns 404 for an unknown app',
    async (operationId, operation) => {
      const missing = { ...path, packageName: 'com.example.none' };
      const response = await callOperator(server, operation, { path: missing, body: bodies[operationId] });
      const type = '/docs/problems#not-found';
      const detail = expect.stringContaining('com.example.none');
      expect(response.body).toEqual({ type, title: expect.any(String), status: 404, detail });
    },
  );

  test.each(listing('invalidRequest'))(
    '%s returns 400 for an unknown parameter or field',
    async (operationId, operation) => {
      const isQuery = operation.body === undefined;
      const response = await callOperator(server, operation, {
        path,
        query: isQuery ? { ...queries[operationId], unknown: 'x' } : {},
        body: isQuery ? undefined : withUnknown(bodies[operationId]),
      });
      expect(response.status).toBe(400);
      expect(response.body.type).toBe('/docs/problems#invalid-request');
      const place = Array.isArray(bodies[operationId]) ? '/0/unknown' : '/unknown';
      expect(response.body.errors).toEqual([
        { path: isQuery ? 'unknown' : place, message: expect.any(String) },
      ]);
    },
  );

  test.each(listing('unsupportedMediaType'))(
    '%s returns 415 for a body that is not JSON',
    async (_, operation) => {
      const response = await call(server.operatorUrl + urlOf(operation, { path }), {
        method: operation.method,
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'text/plain' },
        body: '{}',
      });
      expectAsListed(operation, response);
      expect(response.status).toBe(415);
    },
  );

  test.each(listing('unsupportedMediaType'))(
    '%s returns 400 for invalid JSON or JSON of another type',
    async (operationId, operation) => {
      const otherKind = Array.isArray(bodies[operationId]) ? '{}' : '[]';
      for (const body of ['{', otherKind, 'null', ...(operation.bodyOptional === true ? [] : [''])]) {
        const response = await call(server.operatorUrl + urlOf(operation, { path }), {
          method: operation.method,
          headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
          body,
        });
        expectAsListed(operation, response);
        expect(response.status).toBe(400);
      }
    },
  );

  test('a body over 64 KiB is rejected with 413 on the operator listener', async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      const body = withUnknown(bodies[operation.operationId], 'x'.repeat(65_536));
      const response = await callOperator(server, operation, { path, body });
      expect(response.status).toBe(413);
      expect(response.body.type).toBe('/docs/problems#payload-too-large');
    }
  });
});

test('a known path with another method returns 405 with Allow, and an unknown path 404', async () => {
  const headers = { authorization: `Bearer ${adminKey}` };
  for (const query of ['', '?pageSize=1']) {
    const url = `${server.operatorUrl}/operator/v1/apps${query}`;
    const wrongMethod = await call(url, { method: 'DELETE', headers });
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect(wrongMethod.body.type).toBe('/docs/problems#method-not-allowed');
  }
  const unknown = await call(`${server.operatorUrl}/operator/v1/nothing`, { headers });
  expect(unknown.status).toBe(404);
  expect(unknown.body.type).toBe('/docs/problems#unknown-path');
});
