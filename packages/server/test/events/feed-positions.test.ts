// Positions from which the feed cannot continue, and the errors for them.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { createTestApp, newTestApp, type TestApp, useTestServer } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { expectFailure } from '../purchase-api/purchase-call.ts';
import { eventPage, ordersOf, recordAll, removeUntil, tryListEvents, walkEvents } from './feed-calls.ts';

const { reset } = sandboxApi;

let app: TestApp;

const server = await useTestServer();
const other = await createTestApp(server, 'com.example.other');
await recordAll(server, other, 'X-1', 'X-2', 'X-3');
beforeEach(async () => {
  app = await newTestApp(server);
});

describe('an invalid position in the feed', () => {
  test('a position whose next event was removed returns 410, and the position of the last removed event is accepted', async () => {
    await recordAll(server, app, 'P-1', 'P-2', 'P-3', 'P-4');
    const ids = (await walkEvents(server, app)).map(({ id }) => id);
    await removeUntil(server, app, 2);
    for (const after of ['0', '1', ids[0] ?? '']) {
      const answer = await tryListEvents(server, app, { after });
      expectFailure(answer, 'gone');
    }
    for (const after of ['2', ids[1] ?? '']) {
      expect(ordersOf((await eventPage(server, app, { after })).events)).toEqual([3, 4]);
    }
    expect(ordersOf(await walkEvents(server, app))).toEqual([3, 4]);
  });

  test('a position returns 410 after the history was rewritten, as when a backup is restored', async () => {
    await recordAll(server, app, 'P-1', 'P-2', 'P-3');
    const [, seen] = await walkEvents(server, app);
    await query(
      server.connection,
      `update event set request_id = 'another' where package_name = '${app.packageName}' and event_order = 2`,
    );
    expect((await tryListEvents(server, app, { after: seen?.id ?? '' })).status).toBe(410);
    // An order alone does not identify the event that it had.
    expect(ordersOf((await eventPage(server, app, { after: '2' })).events)).toEqual([3]);
  });

  test('an order that no event has yet is rejected with 400', async () => {
    await recordAll(server, app, 'P-1');
    const [event] = await walkEvents(server, app);
    for (const after of ['2', '999999999999999', event?.id.replace('_1_', '_2_') ?? '']) {
      const answer = await tryListEvents(server, app, { after });
      expectFailure(answer, 'invalidRequest', 'after');
    }
  });

  test('an event id of another app returns 410 and reveals nothing of that app', async () => {
    await recordAll(server, app, 'P-1', 'P-2');
    const [foreign] = await walkEvents(server, other);
    const answer = await tryListEvents(server, app, { after: foreign?.id ?? '' });
    expect([answer.status, answer.body.error.code]).toEqual([410, 9001]);
    expect(answer.text).not.toContain('X-');
  });
});

describe('a reset', () => {
  const resetApp = () => callSandbox(server, reset, { key: app.token });

  test('a reader at the end of the feed continues with new events after a reset', async () => {
    await recordAll(server, app, 'P-1', 'P-2');
    const { cursor } = await eventPage(server, app);
    await resetApp();
    expect((await eventPage(server, app, { after: cursor })).events).toEqual([]);
    await recordAll(server, app, 'P-1');
    expect(ordersOf((await eventPage(server, app, { after: cursor })).events)).toEqual([3]);
  });
});
