// The feed over HTTP: its start, its pages, its errors, and the positions from which it cannot continue.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { listEvents as ofEvents } from '@opentill/contract/events-api/listEvents.ts';
import { listEvents as ofOperator } from '@opentill/contract/operator-api/listEvents.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  createTestApp,
  newTestApp,
  supportKey,
  type TestApp,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { eventPage, ordersOf, recordAll, removeUntil, tryListEvents, walkEvents } from './feed-calls.ts';

let app: TestApp;

const server = await useTestServer();
beforeEach(async () => {
  app = await newTestApp(server);
});

const operatorPage = (parameters: Record<string, string | number> = {}, key = supportKey) =>
  callOperator(server, ofOperator, { path: app, query: parameters, key });

describe('a walk over the feed', () => {
  test('the feed continues from the cursor of a page, from an event id and from an order', async () => {
    await recordAll(server, app, 'P-1', 'P-2', 'P-3');
    const first = await eventPage(server, app, { pageSize: 1 });
    expect([ordersOf(first.events), first.hasMore]).toEqual([[1], true]);
    for (const after of [first.cursor, first.events[0]?.id ?? '', '1']) {
      const rest = await eventPage(server, app, { after });
      expect([ordersOf(rest.events), rest.hasMore]).toEqual([[2, 3], false]);
    }
  });

  test('a walk from now skips the existing events and none of the new ones', async () => {
    await recordAll(server, app, 'P-1', 'P-2');
    const now = await eventPage(server, app, { after: 'now' });
    expect(now).toMatchObject({ events: [], hasMore: false });
    expect(now.cursor).toBe((await walkEvents(server, app))[1]?.id);
    await recordAll(server, app, 'P-3');
    expect(ordersOf((await eventPage(server, app, { after: now.cursor })).events)).toEqual([3]);
  });

  test('the feed of an app without events starts at 0', async () => {
    const empty = { events: [], cursor: '0', hasMore: false };
    expect(await eventPage(server, app)).toEqual(empty);
    expect(await eventPage(server, app, { after: 'now' })).toEqual(empty);
    await recordAll(server, app, 'P-1');
    expect(ordersOf((await eventPage(server, app, { after: '0' })).events)).toEqual([1]);
  });
});

describe('a request to the feed', () => {
  test.each([
    ['pageSize=201', 'pageSize'],
    ['waitSeconds=31', 'waitSeconds'],
    ['waitSeconds=1&waitSeconds=2', 'waitSeconds'],
    ['after=', 'after'],
    ['packageName=com.example.other', 'packageName'],
  ])('a request to the feed with ?%s is rejected with 400 naming the parameter', async (text, name) => {
    const headers = { authorization: `Bearer ${app.token}` };
    const response = await call(`${server.publicUrl}${ofEvents.path}?${text}`, { headers });
    expectFailure(response, 'invalidRequest', name);
  });

  test('a request to the feed without a valid token is rejected with 401', async () => {
    for (const authorization of ['', 'Bearer x', `bearer ${app.token}`, `Bearer ${supportKey}`]) {
      const response = await call(`${server.publicUrl}${ofEvents.path}`, { headers: { authorization } });
      expectFailure(response, 'unauthorized');
    }
  });
});

describe('the feed for operators', () => {
  test('support and admin keys read the same page of the feed of any app', async () => {
    await recordAll(server, app, 'P-1');
    const own = await eventPage(server, app);
    expect((await operatorPage()).body).toEqual(own);
    expect((await operatorPage({ after: own.cursor })).body.events).toEqual([]);
    const nobody = { packageName: 'com.example.nobody' };
    const fromNow = { path: nobody, query: { after: 'now' } };
    expect((await callOperator(server, ofOperator, fromNow)).status).toBe(404);
  });

  test('operators get problem details where developers get purchase API errors', async () => {
    await recordAll(server, app, 'P-1', 'P-2');
    const malformed = await operatorPage({ after: 'x' });
    const errors = [{ path: 'after', message: expect.any(String) }];
    expect([malformed.status, malformed.body.errors]).toEqual([400, errors]);
    await removeUntil(server, app, 1);
    const gone = await operatorPage({ after: 0 });
    expect([gone.status, gone.body.type]).toEqual([410, '/docs/problems#gone']);
  });
});

const other = await createTestApp(server, 'com.example.other');
await recordAll(server, other, 'X-1', 'X-2', 'X-3');

describe('an invalid position in the feed', () => {
  test('a position whose next event was removed returns 410, and the position of the last removed event is accepted', async () => {
    await recordAll(server, app, 'P-1', 'P-2', 'P-3', 'P-4');
    const ids = (await walkEvents(server, app)).map(({ id }) => id);
    await removeUntil(server, app, 2);
    for (const after of ['0', '1', ids[0] ?? '']) {
      expectFailure(await tryListEvents(server, app, { after }), 'gone');
    }
    for (const after of ['2', ids[1] ?? '']) {
      expect(ordersOf((await eventPage(server, app, { after })).events)).toEqual([3, 4]);
    }
    expect(ordersOf(await walkEvents(server, app))).toEqual([3, 4]);
  });

  test('an order that no event has yet is rejected with 400', async () => {
    await recordAll(server, app, 'P-1');
    const [event] = await walkEvents(server, app);
    for (const after of ['2', '999999999999999', event?.id.replace('_1_', '_2_') ?? '']) {
      expectFailure(await tryListEvents(server, app, { after }), 'invalidRequest', 'after');
    }
  });

  test('an event id of another app returns 410 and reveals nothing of that app', async () => {
    await recordAll(server, app, 'P-1', 'P-2');
    const [foreign] = await walkEvents(server, other);
    const response = await tryListEvents(server, app, { after: foreign?.id ?? '' });
    expect([response.status, response.body.error.code]).toEqual([410, 9001]);
    expect(response.text).not.toContain('X-');
  });
});

test('a reader at the end of the feed continues with new events after a reset', async () => {
  await recordAll(server, app, 'P-1', 'P-2');
  const { cursor } = await eventPage(server, app);
  await callDeveloper(server, developerApi.reset, { key: app.token });
  expect((await eventPage(server, app, { after: cursor })).events).toEqual([]);
  await recordAll(server, app, 'P-1');
  expect(ordersOf((await eventPage(server, app, { after: cursor })).events)).toEqual([3]);
});
