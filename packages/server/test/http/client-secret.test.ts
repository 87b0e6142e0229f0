// The client secret in production: which operations need it, which one they accept, and what floods by a leaked token cannot stop.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  freshDatabase,
  issueToken,
  newTestApp,
  requestToken,
  type TestApp,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import {
  allRows,
  callOn,
  createFullApp,
  productionApi,
  productionEnv,
  productionOperations,
} from '../../../../test/support/http/developer-stage.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const logLines: string[] = [];
const database = await useForFile(freshDatabase());
const server = await useTestServer({ database, env: productionEnv, logLines });
const second = await useTestServer({ database, env: productionEnv });
const limited = await useTestServer({ database, env: { ...productionEnv, OPENTILL_RATE_LIMIT: '5' } });
const other = await createFullApp(server, 'com.example.marked-other');

const guarded = productionOperations.filter(({ needsClientSecret }) => needsClientSecret === true);

test('the operations that could lock the owner of an app out need the client secret, and no other does', () => {
  const ids = guarded.map(({ operationId }) => operationId);
  expect(ids).toEqual([
    ...['rotateClientSecret', 'expelTokens', 'putWebhook', 'deleteWebhook', 'rotateWebhookSecret'],
  ]);
});

test.each(guarded.map((operation) => [operation.operationId, operation] as const))(
  '%s without the client secret, or with a wrong one, gets 403 and changes nothing',
  async (operationId, operation) => {
    const app = await createFullApp(server, `com.example.guarded-${operationId.toLowerCase()}`);
    const before = await allRows(server);
    for (const secret of [
      undefined,
      '',
      'wrong-secret',
      other.clientSecret,
      `${app.clientSecret}x`,
      app.token,
    ]) {
      const refused = await callOn(server, operation, app, secret);
      expect([refused.status, refused.body.type]).toEqual([403, '/docs/problems#forbidden']);
      expect(refused.body.detail).toMatch(/^x-client-secret: expected the client secret of the app, got \w+/);
      if (secret) expect(refused.text).not.toContain(secret);
    }
    expect(await allRows(server)).toBe(before);
    expect((await callOn(server, operation, app, app.clientSecret)).status).toBeLessThan(300);
  },
);

test('wrong client secrets are limited for an app, and the owner can do everything in the meantime, also expel the tokens', async () => {
  const [attacked, quiet] = [await newTestApp(server), await newTestApp(server)];
  const { expelTokens, getApp } = productionApi;
  const guess = (app: TestApp) => callOn(server, expelTokens, app, 'a wrong guess');
  for (let count = 1; count <= 10; count += 1) expect((await guess(attacked)).status).toBe(403);
  const refused = await guess(attacked);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await guess(quiet)).status).toBe(403);
  expect((await callOn(server, getApp, attacked)).status).toBe(200);
  expect((await requestToken(server, attacked)).status).toBe(200);
  const path = `/voided-purchases/${attacked.packageName}`;
  expect((await callPurchaseApi(server, { ...attacked, path })).status).toBe(200);
  expect((await callOn(server, expelTokens, attacked, attacked.clientSecret)).status).toBe(204);
  expect((await guess(attacked)).status).toBe(401);
  const token = await issueToken(server, attacked);
  expect((await guess({ ...attacked, token })).status).toBe(429);
  await server.clock.advance(60_000);
  expect((await guess({ ...attacked, token })).status).toBe(403);
});

test('wrong client secrets are logged as often as they are allowed, with app and address, and no secret is', async () => {
  const app = await newTestApp(server);
  logLines.length = 0;
  for (let count = 1; count <= 15; count += 1)
    await callOn(server, productionApi.putWebhook, app, 'wrong-for-the-log');
  await callOn(server, productionApi.putWebhook, app, app.clientSecret);
  await waitFor(() => logLines.filter((line) => line.includes('"status":201')).length > 0, {
    what: 'the line of the last call',
  });
  const refusals = logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'wrong client secret');
  expect(refusals).toHaveLength(10);
  const by = { level: 40, app: app.packageName, address: '127.0.0.1', operationId: 'putWebhook' };
  expect(refusals[0]).toMatchObject(by);
  expect(logLines.join('')).not.toMatch(new RegExp(`wrong-for-the-log|${app.clientSecret}|${app.token}`));
});

test.each(guarded.map((operation) => [operation.operationId, operation] as const))(
  '%s with a client secret that was rotated gets 403 on every server, while that secret still gets tokens',
  async (operationId, operation) => {
    const app = await createFullApp(server, `com.example.rotated-${operationId.toLowerCase()}`);
    const { body } = await callOn(server, productionApi.rotateClientSecret, app, app.clientSecret);
    const before = await allRows(server);
    for (const on of [server, second]) {
      for (let count = 1; count <= 11; count += 1) {
        const refused = await callOn(on, operation, app, app.clientSecret);
        expect([refused.status, refused.body.detail]).toEqual([
          403,
          'x-client-secret: expected the newest client secret of the app, got one that was rotated: it may still get tokens, but changes no credentials.',
        ]);
      }
    }
    expect(await allRows(server)).toBe(before);
    expect((await requestToken(second, app)).status).toBe(200);
    const rotating = { key: app.token, secret: body.clientSecret, body: { keepPreviousForSeconds: 0 } };
    const newest = await callDeveloper(second, productionApi.rotateClientSecret, rotating);
    expect(newest.status).toBe(201);
    const ended = await callOn(server, operation, app, body.clientSecret);
    expect([ended.status, ended.body.detail]).toEqual([403, expect.stringMatching(/got another one/)]);
    expect((await callOn(server, operation, app, newest.body.clientSecret)).status).toBeLessThan(300);
  },
);

test('of two rotations by developers at once one gets 201 with the secret that works, and the other one 403', async () => {
  for (let round = 0; round < 10; round += 1) {
    const app = await newTestApp(server);
    const body = { keepPreviousForSeconds: 0 };
    const sent = { key: app.token, secret: app.clientSecret, body };
    const responses = await Promise.all(
      [server, second].map((on) => callDeveloper(on, productionApi.rotateClientSecret, sent)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 403]);
    const { clientSecret } = responses.find(({ status }) => status === 201)?.body ?? {};
    expect((await callOn(second, productionApi.expelTokens, app, clientSecret)).status).toBe(204);
  }
});

test('calls of the developer API count towards the rate limit of the app, also those with a wrong secret, and the newest secret is never limited', async () => {
  const app = await newTestApp(server);
  for (let count = 1; count <= 5; count += 1)
    expect((await callOn(limited, productionApi.expelTokens, app, 'wrong')).status).toBe(403);
  expect((await callOn(limited, productionApi.expelTokens, app, 'wrong')).status).toBe(429);
  const { status } = await callPurchaseApi(limited, { ...app, path: `/voided-purchases/${app.packageName}` });
  expect(status).toBe(429);
  for (const operation of [productionApi.rotateWebhookSecret, productionApi.deleteWebhook])
    expect((await callOn(limited, operation, app, app.clientSecret)).status).toBe(404);
  expect((await callOn(limited, productionApi.expelTokens, app, app.clientSecret)).status).toBe(204);
});
