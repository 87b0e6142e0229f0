// Apps: creating them, their settings, secrets and tokens, and the list of changes.

import { createApp } from '@opentill/contract/operator-api/createApp.ts';
import { getApp } from '@opentill/contract/operator-api/getApp.ts';
import { listApps } from '@opentill/contract/operator-api/listApps.ts';
import { rotateClientSecret } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { callPurchaseApi, createTestApp, requestToken, testNow, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer();

const inDatabase = (text: string, values?: readonly unknown[]) => query(server.connection, text, values);

/** The status of a read with this token: 404 if the token is valid, otherwise 401. */
async function statusWithToken(packageName: string, token: string): Promise<number> {
  return (await callPurchaseApi(server, { token, path: `/details/none/${packageName}` })).status;
}

test('createApp returns 201 with a secret of 43 characters, and clientId defaults to packageName', async () => {
  const packageName = 'com.example.created';
  const created = await callOperator(server, createApp, { body: { packageName, name: 'Jeu d’été 🎮' } });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    packageName,
    name: 'Jeu d’été 🎮',
    clientId: packageName,
    clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    createdAt: testNow,
  });
});

test('the secret from createApp gets a token and is not stored in the database', async () => {
  const body = { packageName: 'com.example.secret', clientId: 'client of secret' };
  const { clientId, clientSecret } = (await callOperator(server, createApp, { body })).body;
  expect(clientId).toBe('client of secret');
  expect((await requestToken(server, { clientId, clientSecret })).status).toBe(200);
  const rows = await inDatabase(
    'select app::text as row from app union all select operator_action::text from operator_action',
  );
  expect(JSON.stringify(rows)).not.toContain(clientSecret);
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
  expect(await inDatabase("select 1 from app where package_name = 'com.example.other'")).toEqual([]);
});

test('listApps finds apps by a part of the package name or the name, whatever the case, and by state, page by page', async () => {
  const names = ['com.example.find.a', 'com.example.find.b', 'com.example.other'];
  for (const packageName of names) await createTestApp(server, packageName);
  const body = { name: 'Pirates: FIND the 100% gold_' };
  await callOperator(server, updateApp, { path: { packageName: 'com.example.other' }, body });
  const found = async (containing: string, more = {}) =>
    (await callOperator(server, listApps, { query: { containing, ...more } })).body;
  const namesOf = ({ apps }: { apps: { packageName: string }[] }) => apps.map((app) => app.packageName);
  expect(namesOf(await found('Find'))).toEqual(names);
  expect(namesOf(await found('example.find.B'))).toEqual(names.slice(1, 2));
  expect(namesOf(await found('100%'))).toEqual(names.slice(2));
  expect(namesOf(await found('gold_'))).toEqual(names.slice(2));
  expect(namesOf(await found('gold%'))).toEqual([]);
  const first = await found('find', { pageSize: 2 });
  expect(namesOf(first)).toEqual(names.slice(0, 2));
  const { nextPageToken: pageToken } = first;
  expect(namesOf(await found('find', { pageSize: 2, pageToken }))).toEqual(names.slice(2));
  await callOperator(server, updateApp, {
    path: { packageName: 'com.example.find.a' },
    body: { disabled: true },
  });
  expect(namesOf(await found('find', { state: 'disabled' }))).toEqual(names.slice(0, 1));
  expect(namesOf(await found('find', { state: 'active' }))).toEqual(names.slice(1));
  for (const containing of ['', 'x'.repeat(201), '\u0000']) {
    const refused = await callOperator(server, listApps, { query: { containing } });
    expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, 'containing']);
  }
});

test('updateApp changes only what is sent, and name null removes the name', async () => {
  const packageName = 'com.example.updated';
  await callOperator(server, createApp, { body: { packageName, name: 'Before' } });
  const path = { packageName };
  const disabled = await callOperator(server, updateApp, { path, body: { disabled: true } });
  expect(disabled.body).toMatchObject({ name: 'Before', disabled: true, disabledAt: testNow });
  const renamed = await callOperator(server, updateApp, { path, body: { name: 'After' } });
  expect(renamed.body).toMatchObject({ name: 'After', disabled: true, disabledAt: testNow });
  const cleared = await callOperator(server, updateApp, { path, body: { name: null, disabled: false } });
  expect(cleared.body).toEqual({ packageName, clientId: packageName, disabled: false, createdAt: testNow });
  expect((await callOperator(server, getApp, { path })).body).toEqual(cleared.body);
});

test('a disabled app is rejected with 401 at once and gets no token, and its tokens stay invalid when it is enabled', async () => {
  const app = await createTestApp(server, 'com.example.disabled');
  expect(await statusWithToken(app.packageName, app.token)).toBe(404);
  await callOperator(server, updateApp, { path: app, body: { disabled: true } });
  expect(await statusWithToken(app.packageName, app.token)).toBe(401);
  expect((await requestToken(server, app)).status).toBe(400);
  await callOperator(server, updateApp, { path: app, body: { disabled: false } });
  expect(await statusWithToken(app.packageName, app.token)).toBe(401);
  const next = (await requestToken(server, app)).body.access_token;
  expect(await statusWithToken(app.packageName, next)).toBe(404);
});

test('both secrets are valid for a day by default after a rotation, then only the new one is', async () => {
  const app = await createTestApp(server, 'com.example.rotated');
  const rotated = await callOperator(server, rotateClientSecret, { path: app });
  expect(rotated.status).toBe(201);
  expect(rotated.body).toEqual({ clientId: app.clientId, clientSecret: expect.any(String) });
  expect(rotated.body.clientSecret).not.toBe(app.clientSecret);
  try {
    await server.clock.advance(24 * 60 * 60 * 1000 - 1);
    expect((await requestToken(server, app)).status).toBe(200);
    expect((await requestToken(server, rotated.body)).status).toBe(200);
    await server.clock.advance(1);
    expect((await requestToken(server, app)).status).toBe(400);
    expect((await requestToken(server, rotated.body)).status).toBe(200);
  } finally {
    await server.clock.set(testNow);
  }
});

test('a second rotation returns 409 and changes nothing while the previous secret is valid, unless it is forced', async () => {
  const app = await createTestApp(server, 'com.example.rotated-twice');
  const body = { keepPreviousForSeconds: 60 };
  const rotated = await callOperator(server, rotateClientSecret, { path: app, body });
  for (const again of [{}, { keepPreviousForSeconds: 0 }]) {
    const second = await callOperator(server, rotateClientSecret, { path: app, body: again });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(`${testNow + 60_000}`);
  }
  expect((await requestToken(server, app)).status).toBe(200);
  expect((await requestToken(server, rotated.body)).status).toBe(200);
  const force = { keepPreviousForSeconds: 0, force: true };
  const forced = await callOperator(server, rotateClientSecret, { path: app, body: force });
  expect((await requestToken(server, app)).status).toBe(400);
  expect((await requestToken(server, rotated.body)).status).toBe(400);
  expect((await requestToken(server, forced.body)).status).toBe(200);
});
