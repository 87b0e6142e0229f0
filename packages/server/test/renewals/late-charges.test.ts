// Charges that are late: up to two thirds of their period they are made, later the subscription expires, and what is paid
// nevertheless is recorded and voided.

import { beforeEach, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import { callPurchaseApi, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  chargeableMs,
  eventsOf,
  firstDue,
  hourMs,
  lastDetails,
  newestEvents,
  nextSubscription,
  openJob,
  passTo,
  shownSubscription,
  startRenewalStage,
  tokenOf,
} from '../../../../test/support/renewals/renewal-stage.ts';
import type { Decision } from '../../../../test/support/renewals/test-gateway.ts';
import { minuteMs } from '../../src/domain/time.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

function deciding(decision: Decision): void {
  stage.gateway.decide(({ firstPurchaseId }) => (firstPurchaseId === id ? decision : { outcome: 'paid' }));
}

const paidAfterEnd = ['purchase.completed', 'purchase.voided'];

test('a server that dies before the commit leaves neither the period that was paid too late nor its void', async () => {
  deciding({ outcome: 'pending' });
  await passTo(stage, firstDue);
  const late = firstDue + chargeableMs + hourMs;
  await passTo(stage, late);
  deciding({ outcome: 'paid' });
  const killed = openJob(stage.server, stage, {
    testing: {
      crashPoints(point) {
        if (point === 'beforeCommit') throw new Error('killed');
      },
    },
  });
  await stage.clock.set(late + hourMs);
  await killed.job.runOnce();
  await killed[Symbol.asyncDispose]();
  expect((await shownSubscription(stage, id)).periods).toHaveLength(1);
  await passTo(stage, late + 2 * hourMs);
  expect((await shownSubscription(stage, id)).periods).toMatchObject([{}, { purchaseState: 1 }]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired', ...paidAfterEnd]);
});

test('a period paid after the end is in the voided list, and the subscription does not change', async () => {
  deciding({ outcome: 'paid', trouble: 'lostRequest' });
  await passTo(stage, firstDue);
  await voidTestPurchase(stage.server, stage.app, id);
  const before = await lastDetails(stage, id);
  deciding({ outcome: 'paid' });
  await passTo(stage, firstDue + 2 * minuteMs);
  expect(await lastDetails(stage, id)).toEqual(before);
  const { periods } = await shownSubscription(stage, id);
  const paid = periods[1];
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

test('a subscription marked as having an open charge without an attempt is reported and not charged, and blocks no other', async () => {
  const marked = await nextSubscription(stage);
  await query(stage.server.connection, `update subscription set open_charge_time = ${firstDue}`);
  const other = await nextSubscription(stage);
  await passTo(stage, firstDue);
  expect(await eventsOf(stage, marked)).toEqual(['started']);
  expect(await eventsOf(stage, other)).toEqual(['started', 'renewed']);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ code: 'subscriptionsStuck', firstPurchaseId: marked }),
  );
});
