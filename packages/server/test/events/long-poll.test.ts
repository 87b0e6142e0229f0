// Calls that wait for an event: what ends a wait, on any server, and how many calls may wait.

import { listEvents as listEventsOfOperator } from '@opentill/contract/operator-api/listEvents.ts';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callByPage, sessionCookie } from '../../../../test/support/calls/session-calls.ts';
import {
  newTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { waitersMax } from '../../src/operations/events/event-waiters.ts';
import { eventPage, tryListEvents, untilWaiting } from './feed-calls.ts';

const { ofApp: waitersOfAppMax } = waitersMax.developer;

let app: TestApp;

// A wait takes as long as the test says, so what ends it earlier is an event or a stop.
vi.useFakeTimers({ toFake: ['performance'] });
afterAll(() => void vi.useRealTimers());

const [server, second] = await useTwoTestServers();
beforeEach(async () => {
  app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
});

const atTheEnd = { after: '1', waitSeconds: 30 };

describe('a waiting request', () => {
  test('a waiting request returns an event written by another server', async () => {
    const waiting = eventPage(server, app, atTheEnd);
    await untilWaiting(server, 1);
    await recordTestPurchase(second, app, { purchaseId: 'P-2' });
    const page = await waiting;
    expect(page.events).toMatchObject([{ order: 2, purchaseId: 'P-2' }]);
    await untilWaiting(server, 0);
  });

  test('a waiting request returns an empty page after waitSeconds', async () => {
    const query = { after: '1', waitSeconds: 3 };
    const waiting = eventPage(server, app, query);
    const ofOperator = callOperator(server, listEventsOfOperator, { path: app, query });
    await untilWaiting(server, 2);
    vi.advanceTimersByTime(3_000);
    const page = await waiting;
    expect(page.events).toEqual([]);
    expect(page.cursor).toMatch(/^evt_1_/);
    expect((await ofOperator).body).toEqual(page);
  });

  test('a client that disconnects frees its slot', async () => {
    const leaving = new AbortController();
    const url = `${server.publicUrl}/events/v1/events?after=1&waitSeconds=30`;
    const headers = { authorization: `Bearer ${app.token}` };
    const waiting = fetch(url, { headers, signal: leaving.signal });
    await untilWaiting(server, 1);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    await untilWaiting(server, 0);
  });
});

test('too many waiting requests of one app are rejected with 429, and those of another app are not', async () => {
  const waiting = Array.from({ length: waitersOfAppMax }, () => eventPage(server, app, atTheEnd));
  await untilWaiting(server, waitersOfAppMax);
  const refused = await tryListEvents(server, app, atTheEnd);
  expectFailure(refused, 'tooManyRequests');
  expect(refused.headers.get('retry-after')).toBe('1');
  // Calls that do not wait succeed, and another server has its own slots.
  expect((await eventPage(server, app, { after: '1' })).events).toEqual([]);
  const elsewhere = eventPage(second, app, atTheEnd);
  await untilWaiting(second, 1);
  const other = await newTestApp(server);
  const ofOther = eventPage(server, other, { waitSeconds: 30 });
  await untilWaiting(server, waitersOfAppMax + 1);
  await recordTestPurchase(second, other);
  await recordTestPurchase(second, app, { purchaseId: 'P-2' });
  const pages = await Promise.all([...waiting, elsewhere, ofOther]);
  expect(pages.map(({ events }) => events.length)).toEqual(Array(waitersOfAppMax + 2).fill(1));
});

test('consoles have waiting calls of their own, and use up none of those of developers and operator keys', async () => {
  const { ofApp } = waitersMax.console;
  const cookie = await sessionCookie(server);
  const page = () =>
    callByPage(server, `/apps/${app.packageName}/events?after=1&waitSeconds=30`, { headers: { cookie } });
  const ofConsoles = Array.from({ length: ofApp }, page);
  await untilWaiting(server, ofApp);
  const refused = await page();
  expect([refused.status, refused.body.detail]).toEqual([
    429,
    expect.stringContaining(`${ofApp} waiting calls`),
  ]);
  const others = [
    eventPage(server, app, atTheEnd),
    callOperator(server, listEventsOfOperator, { path: app, query: atTheEnd }).then(({ body }) => body),
  ];
  await untilWaiting(server, ofApp + others.length);
  await recordTestPurchase(second, app, { purchaseId: 'P-2' });
  for (const { status } of await Promise.all(ofConsoles)) expect(status).toBe(200);
  for (const { events } of await Promise.all(others)) expect(events).toHaveLength(1);
});

test('a stopping server responds to its waiting requests at once', async () => {
  await using stopping = await startTestServer({ database: server });
  const waiting = eventPage(stopping, app, atTheEnd);
  await untilWaiting(stopping, 1);
  await stopping.stop();
  expect((await waiting).events).toEqual([]);
});

test('a waiting request returns 503 if it ends while the database is unavailable, and otherwise outlasts the outage', async () => {
  await using proxy = await DatabaseProxy.start(server.connection);
  await using cutOff = await startTestServer({ database: { connection: proxy.connection } });
  const ending = tryListEvents(cutOff, app, { after: '1', waitSeconds: 2 });
  const lasting = eventPage(cutOff, app, atTheEnd);
  await untilWaiting(cutOff, 2);
  await proxy.become('resetting');
  vi.advanceTimersByTime(2_000);
  expect((await ending).status).toBe(503);
  await proxy.become('open');
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  expect((await lasting).events).toMatchObject([{ purchaseId: 'P-2' }]);
});
