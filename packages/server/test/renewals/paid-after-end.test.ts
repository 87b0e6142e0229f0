// A payment that is written after its subscription has ended.

import { expect, test } from 'vitest';
import { minuteMs } from '../../src/domain/time.ts';
import { callPurchaseApi, useForFile } from '../harness.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import {
  firstDue,
  lastDetails,
  newestEvents,
  nextSubscription,
  passTo,
  shownSubscription,
  startRenewalStage,
  tokenOf,
} from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());

test('a month paid after the end is in the voided list, and the subscription does not change', async () => {
  const id = await nextSubscription(stage);
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
  await passTo(stage, firstDue);
  await voidTestPurchase(stage.server, stage.app, id);
  const before = await lastDetails(stage, id);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + 2 * minuteMs);
  expect(await lastDetails(stage, id)).toEqual(before);
  const { months } = await shownSubscription(stage, id);
  const paid = months[1];
  expect(paid).toMatchObject({ periodIndex: 1, startTime: firstDue, purchaseState: 1, voidReason: 'system' });
  const token = await tokenOf(stage.server, stage.app);
  const path = `/voided-purchases/${stage.app.packageName}?maxResults=999`;
  const list = (await callPurchaseApi(stage.server, { token, path })).body.voidedPurchaseList;
  const entry = list.find(({ purchaseId }: { purchaseId: string }) => purchaseId === paid.purchaseId);
  expect(entry).toEqual({
    purchaseId: paid.purchaseId,
    purchaseTime: stage.clock.now(),
    voidedTime: paid.voidedTime,
  });
  const [completed, voided] = await newestEvents(stage, id, 2);
  expect(voided).toMatchObject({ type: 'purchase.voided', record: await detailsOf(paid.purchaseId) });
  const { cancelReason, cancelledTime, ...beforeItsVoid } = voided.record;
  expect([cancelReason, cancelledTime]).toEqual(['1', paid.voidedTime]);
  expect(completed).toMatchObject({ type: 'purchase.completed', purchaseId: paid.purchaseId });
  expect(completed.record).toEqual({ ...beforeItsVoid, purchaseState: 0 });
});

async function detailsOf(purchaseId: string): Promise<object> {
  const path = `/recurring-details/${purchaseId}/${stage.app.packageName}`;
  return (await callPurchaseApi(stage.server, { token: await tokenOf(stage.server, stage.app), path })).body;
}
