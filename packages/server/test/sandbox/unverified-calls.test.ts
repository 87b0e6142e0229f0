// What a caller who knows only the client id of an app can do to the faults and to the request log of the app.

import { expect, test } from 'vitest';
import { newTestApp, requestToken, type TestApp, testNow, useTwoTestServers } from '../harness.ts';
import { TestClock } from '../test-clock.ts';
import { formOf, postForm } from '../tokens/token-call.ts';
import { faultsResponse, loggedRequests, putTestFaults } from './sandbox-stage.ts';

const clock = new TestClock(testNow);
const servers = await useTwoTestServers({ clock });
const [server, second] = servers;

const wrongSecret = (on: typeof server, app: TestApp) => requestToken(on, { ...app, clientSecret: 'wrong' });

test('a fault on getAccessToken applies only to calls with the right secret', async () => {
  const app = await newTestApp(server);
  await putTestFaults(server, app, [{ operation: 'getAccessToken', code: 401, times: 1 }]);
  expect((await wrongSecret(server, app)).status).toBe(400);
  const { client_secret: _, ...incomplete } = formOf(app);
  expect((await postForm(server, incomplete)).status).toBe(400);
  expect(await faultsResponse(server, app)).toMatchObject([{ applied: 0 }]);
  expect((await requestToken(server, app)).status).toBe(401);
  expect((await requestToken(server, app)).status).toBe(200);
});

test('of token requests without the right secret the latest 20 are logged next to the other calls, which they do not displace', async () => {
  const app = await newTestApp(server);
  for (let round = 0; round < 35; round += 1) {
    for (const on of servers) {
      await clock.advance(1_000);
      await wrongSecret(on, app);
    }
  }
  await clock.advance(1_000);
  await requestToken(second, app);
  await loggedRequests(second, app);
  const logged = await loggedRequests(server, app);
  const statuses = logged.map(({ httpStatus }) => httpStatus);
  // The app's own first token request, and the last one.
  expect(statuses).toEqual([200, ...new Array(20).fill(400), 200]);
  const times = logged.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});
