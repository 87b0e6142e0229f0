// An outage of the database while attempts are in flight.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestApp, useForFile } from '../../../../test/support/harness.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { responding } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  buy,
  nextHookedApp,
  openJob,
  receivedOf,
  startWebhookStage,
  statesOf,
  type Told,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { webhookLeaseMs } from '../../src/domain/clocks/leases.ts';

/** Attempts in flight of a webhook. */
const total = 8;

let app: TestApp;
let proxy: DatabaseProxy;
let heldBack: (() => void)[];

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
  proxy = await DatabaseProxy.start(stage.server.connection);
  heldBack = [];
});
afterEach(() => proxy[Symbol.asyncDispose]());

/** The job of a server that loses its database while its first attempts are in flight. */
async function begin(told: Told) {
  stage.receiver.react(() => (response) => {
    heldBack.push(() => void response.writeHead(204).end());
  });
  for (let n = 1; n <= total; n += 1) await buy(stage, app, `P-${n}`);
  const { clock } = stage.server;
  const opened = openJob({ connection: proxy.connection, clock }, told);
  const running = opened.job.runOnce();
  await waitFor(() => heldBack.length === total, { what: 'the first attempts' });
  return { ...opened, running };
}

const respondToAll = () => {
  for (const response of heldBack.splice(0)) response();
};
const newTold = (): Told => ({ ends: [], logLines: [] });

test('a round that cannot be written is repeated with the same bytes when its lease has ended', async () => {
  const told = newTold();
  await using cutOff = await begin(told);
  await proxy.become('resetting');
  respondToAll();
  await cutOff.running;
  expect(told.logLines).toMatchObject([expect.stringContaining(app.packageName)]);
  stage.receiver.react(() => responding(204));
  await stage.job.runOnce();
  expect(receivedOf(stage, app)).toHaveLength(total);
  await stage.server.clock.advance(webhookLeaseMs);
  await stage.job.runOnce();
  expect(await statesOf(stage, app)).toEqual(Array(total).fill('delivered'));
  const received = receivedOf(stage, app).map(({ text }) => text);
  expect(received.slice(total).toSorted()).toEqual(received.slice(0, total).toSorted());
});

test('a round whose commit is not confirmed is recorded and not repeated', async () => {
  await using cutOff = await begin(newTold());
  proxy.loseResponseTo('write_delivery_records');
  respondToAll();
  await cutOff.running;
  await stage.server.clock.advance(webhookLeaseMs);
  await stage.job.runOnce();
  expect(await statesOf(stage, app)).toEqual(Array(total).fill('delivered'));
  expect(receivedOf(stage, app)).toHaveLength(total);
});
