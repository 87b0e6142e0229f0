// putToken: existing tokens end at the given time, and the next token is a different one.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { putToken as putTokenOfApp } from '@opentill/contract/operator-api/putToken.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  type HttpResponse,
  newTestApp,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { obtainToken } from './token-call.ts';

const { expelTokens, listPurchases, putToken } = developerApi;

let app: TestApp;

const clock = new TestClock(testNow);
const [server, second] = await useTwoTestServers({ clock });

beforeEach(async () => {
  await clock.set(testNow);
  app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
});

const put = (expiresIn: number, key = app.token, on = server): Promise<HttpResponse> =>
  callDeveloper(on, putToken, { key, body: { expiresIn } });
const statusOf = async (token: string, on = server): Promise<number> =>
  (await callPurchaseApi(on, { token, path: `/details/P-1/${app.packageName}` })).status;

test('a token with 1 second left is accepted until then and rejected from then on by every server', async () => {
  const response = await put(1);
  expect(response.body).toEqual({
    issuedAt: testNow,
    expiresIn: 1,
    expiresAt: testNow + 1_000,
    isRenewed: true,
  });
  await clock.advance(999);
  expect([await statusOf(app.token), await statusOf(app.token, second)]).toEqual([200, 200]);
  await clock.advance(1);
  expect([await statusOf(app.token), await statusOf(app.token, second)]).toEqual([401, 401]);
  expect((await callDeveloper(server, listPurchases, { key: app.token })).status).toBe(401);
});

test('renewals within one second get different tokens, and no expired one comes back', async () => {
  const tokens = [app.token];
  for (let renewal = 0; renewal < 25; renewal += 1) {
    expect((await put(0, tokens.at(-1))).status).toBe(200);
    expect(await statusOf(tokens.at(-1) ?? '')).toBe(401);
    tokens.push((await obtainToken(renewal % 2 === 0 ? server : second, app)).token);
    expect(await statusOf(tokens.at(-1) ?? '')).toBe(200);
  }
  expect(new Set(tokens).size).toBe(26);
  for (const token of tokens.slice(0, -1)) expect(await statusOf(token, second)).toBe(401);
});

test('a shortened token can be changed again, but not beyond its original end', async () => {
  await clock.advance(1_600_000);
  expect((await put(10)).status).toBe(200);
  const refused = await put(2_001);
  expect(refused.status).toBe(409);
  expect(refused.body.errors).toEqual([
    { path: '/expiresIn', message: expect.stringContaining('at most 2000') },
  ]);
  expect((await put(2_000)).body).toMatchObject({ expiresIn: 2_000, isRenewed: false });
  expect((await obtainToken(server, app)).token).toBe(app.token);
});

describe('putToken: access and errors', () => {
  test('an app without a token gets 409 from putToken', async () => {
    const path = { packageName: app.packageName };
    await callDeveloper(server, expelTokens, { key: app.token });
    const response = await callOperator(server, putTokenOfApp, { path, body: { expiresIn: 5 } });
    expect(response.status).toBe(409);
    expect(response.body.detail).toContain('call getAccessToken');
  });

  test.each([-1, 1.5, 86_401, '5', null])('expiresIn %j is rejected', async (expiresIn) => {
    const response = await callDeveloper(server, putToken, { key: app.token, body: { expiresIn } });
    expect(response.status).toBe(400);
  });
});
