// Apps: creating them, their settings, secrets and tokens, and the list of changes.

import { eachPage } from '@opentill/client/operator';
import { createApp } from '@opentill/contract/operator-api/createApp.ts';
import { listApps } from '@opentill/contract/operator-api/listApps.ts';
import { rotateClientSecret } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { beforeEach, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  operatorOf,
  recordTestPurchase,
  requestToken,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';

const server = await useTestServer();
beforeEach(() => server.clock.set(testNow));
const operator = operatorOf(server);

/** The status of a read with this token: 404 if the token is valid, otherwise 401. */
async function statusWithToken(packageName: string, token: string): Promise<number> {
  return (await callPurchaseApi(server, { token, path: `/details/none/${packageName}` })).status;
}

test('createApp returns 201 with a secret, which is not stored, and clientId defaults to packageName', async () => {
  const body = { packageName: 'com.example.created', name: 'Jeu d’été 🎮' };
  const created = await callOperator(server, createApp, { body });
  expect(created.status).toBe(201);
  const { clientSecret, ...shown } = created.body;
  expect(clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(shown).toEqual({ ...body, clientId: body.packageName, createdAt: testNow });
  expect((await requestToken(server, created.body)).status).toBe(200);
  const text = 'select app::text from app union all select operator_action::text from operator_action';
  expect(JSON.stringify(await query(server.connection, text))).not.toContain(clientSecret);
});

test.each([
  ['packageName', { packageName: 'com.example.twice', clientId: 'another' }],
  ['clientId', { packageName: 'com.example.other', clientId: 'com.example.twice' }],
])('createApp returns 409 naming a %s that another app has, and creates nothing', async (field, body) => {
  await callOperator(server, createApp, { body: { packageName: 'com.example.twice' } });
  const again = await callOperator(server, createApp, { body });
  expect(again.status).toBe(409);
  expect(again.body.detail).toContain('com.example.twice');
  expect(again.body.errors).toEqual([{ path: `/${field}`, message: expect.any(String) }]);
  expect((await operator.listApps({ containing: 'com.example.other' })).apps).toEqual([]);
});

test('listApps finds apps by a part of the package name or the name, whatever the case, and by state, page by page', async () => {
  const names = ['com.example.find.a', 'com.example.find.b', 'com.example.other'];
  for (const packageName of names) await createTestApp(server, packageName);
  await operator.updateApp({ packageName: 'com.example.other', name: 'Pirates: FIND the 100% gold_' });
  const found = async (containing: string, state?: 'active' | 'disabled') => {
    const pages = eachPage((page) => operator.listApps({ containing, state, pageSize: 2, ...page }));
    return (await Array.fromAsync(pages)).flatMap(({ apps }) => apps.map(({ packageName }) => packageName));
  };
  expect(await found('Find')).toEqual(names);
  expect(await found('example.find.B')).toEqual(names.slice(1, 2));
  for (const part of ['100%', 'gold_']) expect(await found(part)).toEqual(names.slice(2));
  expect(await found('gold%')).toEqual([]);
  await operator.updateApp({ packageName: 'com.example.find.a', disabled: true });
  expect(await found('find', 'disabled')).toEqual(names.slice(0, 1));
  expect(await found('find', 'active')).toEqual(names.slice(1));
  const refused = await callOperator(server, listApps, { query: { containing: '\u0000' } });
  expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, 'containing']);
});

test('listApps has the order of the newest event of each app, and pages of up to 1,000 apps', async () => {
  const packageName = 'com.example.ordered';
  await createTestApp(server, packageName);
  const orderOf = async () =>
    (await operator.listApps({ containing: packageName, pageSize: 1_000 })).apps[0]?.eventOrder;
  expect(await orderOf()).toBe(0);
  for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, { packageName }, { purchaseId });
  expect(await orderOf()).toBe(2);
  const refused = await callOperator(server, listApps, { query: { pageSize: '1001' } });
  expect(refused.status).toBe(400);
});

test('updateApp changes only what is sent, and name null removes the name', async () => {
  const packageName = 'com.example.updated';
  await operator.createApp({ packageName, name: 'Before' });
  const disabled = { disabled: true, disabledAt: testNow };
  const update = (fields: object) => operator.updateApp({ packageName, ...fields });
  expect(await update({ disabled: true })).toMatchObject({ name: 'Before', ...disabled });
  expect(await update({ name: 'After' })).toMatchObject({ name: 'After', ...disabled });
  const cleared = await update({ name: null, disabled: false });
  expect(cleared).toEqual({ packageName, clientId: packageName, disabled: false, createdAt: testNow });
  expect(await operator.getApp({ packageName })).toEqual(cleared);
});

test('a disabled app is rejected with 401 at once and gets no token, and its tokens stay invalid when it is enabled', async () => {
  const app = await createTestApp(server, 'com.example.disabled');
  const { packageName, token } = app;
  expect(await statusWithToken(packageName, token)).toBe(404);
  await operator.updateApp({ packageName, disabled: true });
  expect(await statusWithToken(packageName, token)).toBe(401);
  expect((await requestToken(server, app)).status).toBe(400);
  await operator.updateApp({ packageName, disabled: false });
  expect(await statusWithToken(packageName, token)).toBe(401);
  const next = (await requestToken(server, app)).body.access_token;
  expect(await statusWithToken(packageName, next)).toBe(404);
});

test('both secrets are valid for a day by default after a rotation, then only the new one is', async () => {
  const app = await createTestApp(server, 'com.example.rotated');
  const rotated = await callOperator(server, rotateClientSecret, { path: app });
  expect(rotated.status).toBe(201);
  expect(rotated.body).toEqual({ clientId: app.clientId, clientSecret: expect.any(String) });
  expect(rotated.body.clientSecret).not.toBe(app.clientSecret);
  await server.clock.advance(24 * 60 * 60 * 1000 - 1);
  expect((await requestToken(server, app)).status).toBe(200);
  expect((await requestToken(server, rotated.body)).status).toBe(200);
  await server.clock.advance(1);
  expect((await requestToken(server, app)).status).toBe(400);
  expect((await requestToken(server, rotated.body)).status).toBe(200);
});

test('a second rotation returns 409 and changes nothing while the previous secret is valid, unless it is forced or keeps none', async () => {
  const app = await createTestApp(server, 'com.example.rotated-twice');
  const body = { keepPreviousForSeconds: 60 };
  const rotated = await callOperator(server, rotateClientSecret, { path: app, body });
  for (const again of [{}, { keepPreviousForSeconds: 1 }]) {
    const second = await callOperator(server, rotateClientSecret, { path: app, body: again });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(`${testNow + 60_000}`);
  }
  expect((await requestToken(server, app)).status).toBe(200);
  expect((await requestToken(server, rotated.body)).status).toBe(200);
  const force = { keepPreviousForSeconds: 60, force: true };
  const forced = await callOperator(server, rotateClientSecret, { path: app, body: force });
  expect((await requestToken(server, app)).status).toBe(400);
  expect((await requestToken(server, rotated.body)).status).toBe(200);
  const none = { keepPreviousForSeconds: 0 };
  const last = await callOperator(server, rotateClientSecret, { path: app, body: none });
  for (const ended of [rotated.body, forced.body])
    expect((await requestToken(server, ended)).status).toBe(400);
  expect((await requestToken(server, last.body)).status).toBe(200);
});
