// The clock of an app by HTTP: what it tells, how it is set, how it is moved, and what is refused.

import { getClock } from '@opentill/contract/sandbox-api/getClock.ts';
import { putClock } from '@opentill/contract/sandbox-api/putClock.ts';
import { advanceClock } from '@opentill/contract/sandbox-api/advanceClock.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, startTestServer, type TestApp, type TestServer, testNow } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startTestServer();
  app = await createTestApp(server);
});
afterAll(() => server.stop());

test('an app that never set its clock lives in real time', async () => {
  const { body } = await callSandbox(server, getClock, { key: app.token });
  expect(body).toEqual({ now: testNow, mode: 'running', rate: 1 });
  const put = await callSandbox(server, putClock, { key: app.token, body: { mode: 'frozen' } });
  expect(put.body).toEqual({ now: testNow, mode: 'frozen', rate: 1 });
  const adv = await callSandbox(server, advanceClock, { key: app.token, body: { by: 'P1M' } });
  expect(adv.body).toEqual({ now: Date.UTC(2026, 3, 15, 12), count: 0, happened: [], eventsAfter: 0 });
});
