// The clock of an app over HTTP: reading, setting and advancing it, and rejected calls.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { describe, expect, test } from 'vitest';
import {
  newTestApp,
  operate,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { leaseClock } from '../stage.ts';
import { advance, freeze, readClock, setClock, tryAdvance } from './clock-calls.ts';

const { advanceClock, putClock } = sandboxApi;

const server = await useTestServer();

async function newApp(): Promise<TestApp> {
  await server.clock.set(testNow);
  return newTestApp(server);
}

test('an app whose clock was never set is on real time', async () => {
  const app = await newApp();
  expect(await readClock(server, app)).toMatchObject({ now: testNow, mode: 'running', rate: 1 });
  await server.clock.advance(1_234);
  expect(await readClock(server, app)).toMatchObject({ now: testNow + 1_234, mode: 'running', rate: 1 });
});

test('a frozen clock stands still, and continues from there when it runs again', async () => {
  const app = await newApp();
  expect((await setClock(server, app, { mode: 'frozen' })).body).toEqual({
    now: testNow,
    mode: 'frozen',
    rate: 1,
  });
  await server.clock.advance(60_000);
  expect((await readClock(server, app)).now).toBe(testNow);
  const set = await setClock(server, app, { mode: 'running', rate: 10 });
  expect(set.body).toEqual({ now: testNow, mode: 'running', rate: 10 });
  await server.clock.advance(1_000);
  expect(await readClock(server, app)).toMatchObject({ now: testNow + 10_000, mode: 'running', rate: 10 });
});

test('an advance with nothing due moves the clock and returns no events', async () => {
  const app = await newApp();
  const to = Date.UTC(2026, 3, 15, 12);
  expect(await advance(server, app, { by: 'P1M' })).toEqual({
    now: to,
    count: 0,
    happened: [],
    eventsAfter: 0,
  });
  expect(await advance(server, app, { to })).toEqual({ now: to, count: 0, happened: [], eventsAfter: 0 });
  expect((await readClock(server, app)).now).toBe(to);
  await recordTestPurchase(server, app);
  expect(await advance(server, app, { to })).toMatchObject({ count: 0, eventsAfter: 1 });
});

describe('rejected calls', () => {
  test.each([
    [{}, ''],
    [{ by: 'P1M', to: testNow + 1 }, ''],
    [{ by: '-P1D' }, '/by'],
    [{ by: 'P10YT0.001S' }, '/by'],
    [{ by: `PT${'0'.repeat(64)}S` }, '/by'],
    [{ to: testNow - 1 }, '/to'],
    [{ to: Date.UTC(2036, 2, 15, 12, 0, 0, 1) }, '/to'],
    [{ to: String(testNow) }, '/to'],
  ])('an advance of %j is rejected and moves nothing', async (body, path) => {
    const app = await newApp();
    await freeze(server, app);
    const answer = await callSandbox(server, advanceClock, { key: app.token, body });
    expect(answer.body).toMatchObject({ status: 400, error: { code: 9000 } });
    expect(answer.body.errors.map((entry: { path: string }) => entry.path)).toEqual([path]);
    expect(await readClock(server, app)).toMatchObject({ now: testNow, mode: 'frozen', rate: 1 });
  });

  test.each([
    {},
    { mode: 'stopped' },
    { mode: 'running', rate: 0 },
    { mode: 'running', rate: -1 },
    { mode: 'running', rate: 100_001 },
    { mode: 'running', rate: '1' },
    { mode: 'running', now: testNow },
  ])('a clock of %j is rejected and changes nothing', async (body) => {
    const app = await newApp();
    expect((await callSandbox(server, putClock, { key: app.token, body })).status).toBe(400);
    expect(await readClock(server, app)).toMatchObject({ now: testNow, mode: 'running', rate: 1 });
  });
});

test('while a clock is advanced, any other advance or change of it is rejected with 409', async () => {
  const app = await newApp();
  await freeze(server, app);
  const lease = (until: number) => leaseClock(server, app, { until, advanceTo: testNow + 5 });
  await lease(testNow + 1);
  expect((await tryAdvance(server, app, { by: 'P1D' })).status).toBe(409);
  expect((await callSandbox(server, putClock, { key: app.token, body: { mode: 'running' } })).status).toBe(
    409,
  );
  expect(await readClock(server, app)).toMatchObject({
    now: testNow,
    mode: 'frozen',
    rate: 1,
    advanceTo: testNow + 5,
  });
  await lease(testNow);
  expect((await tryAdvance(server, app, { by: 'P1D' })).status).toBe(200);
  expect(await readClock(server, app)).toMatchObject({ now: testNow + 86_400_000, mode: 'frozen', rate: 1 });
});

test('two servers follow the same clock', async () => {
  await using second = await startTestServer({ database: server });
  const app = await newApp();
  for (const [from, other] of [
    [server, second],
    [second, server],
  ] as const) {
    const { now } = await advance(from, app, { by: 'P1D' });
    await freeze(from, app);
    expect((await readClock(other, app)).now).toBe(now);
    const path = `/apps/${app.packageName}/purchases`;
    const recorded = await operate(other, 'POST', path, { body: { productId: 'coins' } });
    expect(recorded.body.purchaseTime).toBe(now);
  }
});
