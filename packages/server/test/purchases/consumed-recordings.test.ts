// recordPurchase with consumed: the device has consumed the purchase already.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { recordConsumption } from '@opentill/contract/operator-api/recordConsumption.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { auditLedger } from '../attack/ledger-audit.ts';
import { createTestApp, recordKey, testNow, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

function record(body: unknown) {
  return callOperator(server, recordPurchase, { path: app, body, key: recordKey });
}

async function recordOf(purchaseId: string) {
  return (await callOperator(server, getPurchase, { path: { ...app, purchaseId } })).body;
}

test('a purchase recorded as consumed is consumed at its purchaseTime and writes two events, alone or with others', async () => {
  const recordAs = (purchaseId: string, consumed?: boolean) =>
    record({ productId: 'coins', purchaseId, purchaseTime: testNow - 5, consumed });
  const sent = [recordAs('c-1', true), recordAs('c-2'), recordAs('c-3', true), recordAs('c-4', false)];
  const answers = await Promise.all(sent);
  const consumed = { consumptionState: 1, consumedTime: testNow - 5, consumedBy: 'operator:checkout' };
  const open = { consumptionState: 0, consumedTime: undefined, consumedBy: undefined };
  for (const [index, expected] of [consumed, open, consumed, open].entries()) {
    const { status, body } = answers[index] as (typeof answers)[number];
    const { consumptionState, consumedTime, consumedBy } = body;
    expect([status, { consumptionState, consumedTime, consumedBy }]).toEqual([201, expected]);
    const { history, voidEffects: _, ...stored } = await recordOf(body.purchaseId);
    expect(stored).toEqual(body);
    const types = history.map(({ type, time }: { type: string; time: number }) => [type, time]);
    const recorded = ['purchase.completed', testNow];
    expect(types).toEqual(expected === open ? [recorded] : [recorded, ['purchase.consumed', testNow]]);
  }
  expect(await auditLedger(server.connection)).toEqual({});
});

test('a repeat with consumed matches a purchase that is consumed by now, and else gets 409 that names recordConsumption', async () => {
  const sent = { productId: 'coins', purchaseId: 'late' };
  await record(sent);
  const { status, body } = await record({ ...sent, consumed: true });
  expect([status, body.detail]).toEqual([
    409,
    'Purchase late is recorded and not consumed: use recordConsumption.',
  ]);
  await callOperator(server, recordConsumption, { path: { ...app, purchaseId: 'late' } });
  for (const consumed of [true, false, undefined]) {
    expect((await record({ ...sent, consumed })).status).toBe(200);
  }
  expect((await recordOf('late')).history).toHaveLength(2);
});
