// Creating, reading, rotating and deleting webhooks, by operators and by developers in the sandbox.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { deleteWebhook } from '@opentill/contract/operator-api/deleteWebhook.ts';
import { getWebhook } from '@opentill/contract/operator-api/getWebhook.ts';
import { putWebhook } from '@opentill/contract/operator-api/putWebhook.ts';
import { rotateWebhookSecret } from '@opentill/contract/operator-api/rotateWebhookSecret.ts';
import { testWebhook } from '@opentill/contract/operator-api/testWebhook.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import { createTestApp, supportKey, type TestApp, useForFile } from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { type Received, responding } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  buy,
  deliveriesOf,
  receivedOf,
  startWebhookStage,
  statesOf,
  webhookOf,
} from '../../../../test/support/webhooks/webhook-stage.ts';

let app: TestApp;

const stage = await useForFile(startWebhookStage());
// The library verifies signatures against the machine's clock.
vi.setSystemTime(stage.server.clock.now());
afterAll(() => void vi.useRealTimers());

beforeEach(async () => {
  stage.receiver.react(() => responding(204));
  app = await createTestApp(stage.server, stage.nextPackageName());
});

const put = (url = stage.receiver.url) =>
  callOperator(stage.server, putWebhook, { path: app, body: { url } });

describe('putWebhook', () => {
  test('putWebhook creates a webhook with a secret that is shown once, and then changes only its URL', async () => {
    const now = stage.server.clock.now();
    const created = await put('HTTP://127.0.0.1:9000');
    const { packageName } = app;
    const shown = { packageName, url: 'http://127.0.0.1:9000/', createdAt: now, updatedAt: now };
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([created.status, created.body]).toEqual([201, { ...shown, secret }]);
    await stage.server.clock.advance(1_000);
    const url = 'http://localhost:9001/hooks?key=secret';
    const replaced = await put(url);
    const changed = { ...shown, url, updatedAt: now + 1_000 };
    expect([replaced.status, replaced.body]).toEqual([200, changed]);
    expect((await callOperator(stage.server, getWebhook, { path: app })).body).toEqual(changed);
    expect(await webhookOf(stage, app)).toEqual(changed);
  });

  test('a webhook receives the events since its creation at its current URL', async () => {
    await buy(stage, app, 'P-1');
    await put(stage.receiver.url.replace('hooks', 'old'));
    await buy(stage, app, 'P-2');
    await put();
    await buy(stage, app, 'P-3');
    await stage.job.runOnce();
    expect(receivedOf(stage, app).map(({ path, body }) => [path, body.purchaseId])).toEqual([
      ['/hooks', 'P-2'],
      ['/hooks', 'P-3'],
    ]);
  });

  test('putWebhook rejects a URL that may not be called, and one that is too long when it is encoded', async () => {
    for (const url of ['http://10.0.0.1/', `http://127.0.0.1/${'é'.repeat(700)}`]) {
      const errors = [{ path: '/url', message: expect.any(String) }];
      expect(await put(url)).toMatchObject({ status: 400, body: { errors } });
    }
    expect((await callOperator(stage.server, getWebhook, { path: app })).status).toBe(404);
  });

  test('a support key sees only the origin of the URL', async () => {
    await put('http://127.0.0.1:9000/path?key=secret');
    const { body } = await callOperator(stage.server, getWebhook, { path: app, key: supportKey });
    expect(body.url).toBe('http://127.0.0.1:9000');
  });

  test('two concurrent putWebhook calls create one webhook with one secret', async () => {
    const responses = await Promise.all([put('http://127.0.0.1:9001/'), put('http://127.0.0.1:9002/')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 201]);
  });

  test('the change log has the author and only the origin of the URL', async () => {
    await put('http://127.0.0.1:9000/hooks?key=secret');
    await callOperator(stage.server, rotateWebhookSecret, { path: app });
    await callOperator(stage.server, deleteWebhook, { path: app });
    const actions = await listedActions(stage.server, { packageName: app.packageName });
    expect(actions.slice(0, 3)).toMatchObject([
      { operationId: 'deleteWebhook', madeBy: 'operator:admin' },
      { operationId: 'rotateWebhookSecret' },
      { operationId: 'putWebhook', detail: { origin: 'http://127.0.0.1:9000' } },
    ]);
  });
});

describe('rotateWebhookSecret', () => {
  /** The secrets that verify the last call. */
  async function verifiers(secrets: readonly string[]): Promise<boolean[]> {
    await callOperator(stage.server, testWebhook, { path: app });
    await stage.job.runOnce();
    const { text, headers } = receivedOf(stage, app).at(-1) as Received;
    return secrets.map((secret) => {
      try {
        new Webhook(secret).verify(text, headers);
        return true;
      } catch {
        return false;
      }
    });
  }

  test('both secrets sign until previousSecretUntil, and then only the new one', async () => {
    const { secret: first } = (await put()).body;
    const body = { keepPreviousForSeconds: 60 };
    const rotated = await callOperator(stage.server, rotateWebhookSecret, { path: app, body });
    const { secret: second, previousSecretUntil } = rotated.body;
    expect([rotated.status, previousSecretUntil]).toEqual([201, stage.server.clock.now() + 60_000]);
    expect((await webhookOf(stage, app)).previousSecretUntil).toBe(previousSecretUntil);
    expect(await verifiers([first, second])).toEqual([true, true]);
    await stage.server.clock.set(previousSecretUntil - 1);
    expect(await verifiers([first, second])).toEqual([true, true]);
    await stage.server.clock.set(previousSecretUntil);
    expect(await verifiers([first, second])).toEqual([false, true]);
    expect(await webhookOf(stage, app)).not.toHaveProperty('previousSecretUntil');
  });

  test('a forced rotation ends the oldest secret at once, and one with 0 also ends the previous one', async () => {
    const { secret: first } = (await put()).body;
    const rotate = async (body = {}) =>
      (await callOperator(stage.server, rotateWebhookSecret, { path: app, body })).body;
    const { secret: second } = await rotate();
    const { secret: third, previousSecretUntil } = await rotate({ force: true });
    expect(previousSecretUntil).toBe(stage.server.clock.now() + 86_400_000);
    expect(await verifiers([first, second, third])).toEqual([false, true, true]);
    const last = await rotate({ keepPreviousForSeconds: 0 });
    expect(last).not.toHaveProperty('previousSecretUntil');
    expect(await verifiers([second, third, last.secret])).toEqual([false, false, true]);
  });
});

test('deleteWebhook makes open deliveries dead and keeps the delivered ones in the list', async () => {
  await put();
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  stage.receiver.react(() => responding(500));
  await buy(stage, app, 'P-2');
  await voidTestPurchase(stage.server, app, 'P-2');
  await stage.job.runOnce();
  expect(await statesOf(stage, app)).toEqual(['delivered', 'waiting', 'held']);
  await buy(stage, app, 'P-3');
  expect((await callOperator(stage.server, deleteWebhook, { path: app })).status).toBe(204);
  expect(await statesOf(stage, app)).toEqual(['delivered', 'dead', 'dead']);
  const before = receivedOf(stage, app).length;
  await stage.server.clock.advance(86_400_000);
  await stage.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(before);
  expect((await callOperator(stage.server, deleteWebhook, { path: app })).status).toBe(404);
  expect((await callOperator(stage.server, testWebhook, { path: app })).status).toBe(404);
});

test('a reset keeps the webhook and its secret, and later events are delivered', async () => {
  await put();
  const before = await webhookOf(stage, app);
  stage.receiver.react(() => responding(500));
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  await buy(stage, app, 'P-2');
  expect((await callDeveloper(stage.server, developerApi.reset, { key: app.token })).status).toBe(204);
  expect(await webhookOf(stage, app)).toEqual(before);
  expect(await deliveriesOf(stage, app)).toEqual([]);
  stage.receiver.react(() => responding(204));
  await buy(stage, app, 'P-3');
  await stage.server.clock.advance(10_000);
  await stage.job.runOnce();
  expect(receivedOf(stage, app).map(({ body }) => body.purchaseId)).toEqual(['P-1', 'P-3']);
  expect(await statesOf(stage, app)).toEqual(['delivered']);
});

test('an app gets 429 after 60 test events within a minute', async () => {
  await put();
  const sendTest = () => callOperator(stage.server, testWebhook, { path: app });
  for (let count = 1; count <= 60; count += 1) expect((await sendTest()).status).toBe(201);
  const rejected = await sendTest();
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60']);
  await stage.server.clock.advance(60_000);
  expect((await sendTest()).status).toBe(201);
});
