// Nothing is charged while renewals are paused, on any server.

import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { eventsOf, firstDue, nextSubscription, passTo, startRenewalStage } from './renewal-stage.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

test('a disabled app renews nothing until it is enabled', async () => {
  const { server, app } = stage;
  await callOperator(server, updateApp, { path: app, body: { disabled: true } });
  await passTo(stage, firstDue);
  expect(orders()).toEqual([]);
  await callOperator(server, updateApp, { path: app, body: { disabled: false } });
  await stage.job.runOnce();
  expect(orders()).toHaveLength(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});
