// extendSubscription: what the purchase API, the feed and later periods show, and the states in which it is refused.

import { extendSubscription } from '@opentill/contract/operator-api/extendSubscription.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { describe, expect, test } from 'vitest';
import { changeAutoPayment, tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import { operate, type TestApp, useForFile, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import {
  dayMs,
  eventsOf,
  firstDue,
  nextSubscription,
  passTo,
  shownSubscription,
  stageStart,
  startRenewalStage,
  tokenOf,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { expectSound } from '../renewals/expect-sound.ts';
import { firstExpiry, type Stage, stageSubscription } from './staged-subscription.ts';

const server = await useTestServer();
const renewing = await useForFile(startRenewalStage());

const extend = ({ packageName }: Pick<TestApp, 'packageName'>, expiryTime: number) =>
  callOperator(server, extendSubscription, {
    path: { packageName, firstPurchaseId: 'S-1' },
    body: { expiryTime, reasonCode: 'malfunction', note: 'outage' },
  });

const shown = async ({ packageName }: TestApp) =>
  (await callOperator(server, getSubscription, { path: { packageName, firstPurchaseId: 'S-1' } })).body;

const later = firstExpiry + 5 * dayMs;

describe('an extension', () => {
  test('moves expiryTime and nextPaymentTime in the purchase API, and writes one action', async () => {
    const app = await stageSubscription(server, 'active');
    expect((await extend(app, later)).status).toBe(200);
    for (const operation of [getRecurringPurchaseDetails, getLastRecurringPurchaseDetails]) {
      const { body } = await callPurchase(server, operation, app, { path: { purchaseId: 'S-1' } });
      expect(body).toMatchObject({ expiryTime: later, nextPaymentTime: later, autoRenewing: true });
    }
    const before = await shown(app);
    expect(before.periods).toMatchObject([{ expiryTime: later }]);
    // A repeated call changes nothing.
    expect(before).toMatchObject((await extend(app, later)).body);
    expect(await shown(app)).toEqual(before);
    const { actions } = (await operate(server, 'GET', `/actions?packageName=${app.packageName}`)).body;
    expect(actions[0]).toMatchObject({
      operationId: 'extendSubscription',
      subject: 'S-1',
      detail: { previousExpiryTime: firstExpiry, expiryTime: later },
      note: 'outage',
    });
  });

  test('of a cancelled subscription leaves it cancelled, and a reactivation is paid at the new end', async () => {
    const app = await stageSubscription(server, 'auto-payment off');
    const { body } = await extend(app, later);
    expect(body).toMatchObject({ state: 'autoPaymentOff', expiryTime: later });
    expect(body).not.toHaveProperty('nextPaymentTime');
    await changeAutoPayment(server, app, { purchaseId: 'S-1', action: 'reactivate' });
    expect(await shown(app)).toMatchObject({ state: 'active', nextPaymentTime: later });
  });

  test.each<[Stage]>([['payment outstanding'], ['expired'], ['terminated'], ['voided']])(
    'of a subscription that is %s is refused, and its present end is accepted',
    async (stage) => {
      const app = await stageSubscription(server, stage);
      const before = await shown(app);
      expect((await extend(app, later)).status).toBe(409);
      expect((await extend(app, before.expiryTime)).status).toBe(200);
      expect(await shown(app)).toEqual(before);
    },
  );

  test.each([
    ['before the end', firstExpiry - 1],
    ['more than 366 days later', firstExpiry + 366 * dayMs + 1],
  ])('to a time %s is rejected', async (_, expiryTime) => {
    const app = await stageSubscription(server, 'active');
    expect((await extend(app, expiryTime)).status).toBe(400);
    expect((await extend(app, firstExpiry + 366 * dayMs)).status).toBe(200);
  });
});

describe('an extension and renewals', () => {
  const tenthOfMarch = Date.UTC(2026, 2, 10, 9);
  const call = (id: string, change: string, body: object) =>
    operate(renewing.server, 'POST', `/apps/${renewing.app.packageName}/subscriptions/${id}/${change}`, {
      body,
    });

  test('31 January that is extended to 10 March goes on on 10 April', async () => {
    const id = await nextSubscription(renewing);
    expect(stageStart).toBe(Date.UTC(2026, 0, 31, 9));
    expect((await call(id, 'extend', { expiryTime: tenthOfMarch })).status).toBe(200);
    await passTo(renewing, firstDue);
    expect((await shownSubscription(renewing, id)).periods).toHaveLength(1);
    await passTo(renewing, tenthOfMarch);
    const { periods, nextPaymentTime } = await shownSubscription(renewing, id);
    const tenthOfApril = Date.UTC(2026, 3, 10, 9);
    expect(periods.at(-1)).toMatchObject({ startTime: tenthOfMarch, expiryTime: tenthOfApril });
    expect(nextPaymentTime).toBe(tenthOfApril);
    await expectSound(renewing);
  });

  test('28 February that is extended by a minute goes on on 31 March, as without it', async () => {
    const id = await nextSubscription(renewing);
    expect(firstDue).toBe(Date.UTC(2026, 1, 28, 9));
    expect((await call(id, 'extend', { expiryTime: firstDue + 60_000 })).status).toBe(200);
    await passTo(renewing, firstDue + 60_000);
    const { periods } = await shownSubscription(renewing, id);
    expect(periods.at(-1)).toMatchObject({
      startTime: firstDue + 60_000,
      expiryTime: Date.UTC(2026, 2, 31, 9),
    });
    await expectSound(renewing);
  });

  test('during a charge it is refused, and the charge pays the period from the old end', async () => {
    const id = await nextSubscription(renewing);
    const called = Promise.withResolvers<number>();
    renewing.gateway.decide(() => {
      called.resolve(call(id, 'extend', { expiryTime: tenthOfMarch }).then(({ status }) => status));
      return { outcome: 'paid', trouble: { until: called.promise.then(() => undefined) } };
    });
    await passTo(renewing, firstDue);
    renewing.gateway.decide(() => ({ outcome: 'paid' }));
    expect(await called.promise).toBe(409);
    expect((await shownSubscription(renewing, id)).periods).toMatchObject([{}, { startTime: firstDue }]);
    await expectSound(renewing);
  });

  test('a concurrent cancel or void takes effect before or after the extension', async () => {
    for (let round = 0; round < 10; round += 1) {
      const cancelled = await nextSubscription(renewing);
      const app = { ...renewing.app, token: await tokenOf(renewing.server, renewing.app) };
      const [extended, cancel] = await Promise.all([
        call(cancelled, 'extend', { expiryTime: tenthOfMarch }),
        changeAutoPayment(renewing.server, app, { purchaseId: cancelled, action: 'cancel' }),
      ]);
      expect([extended.status, cancel.body.responseCode]).toEqual([200, 0]);
      const afterCancel = await shownSubscription(renewing, cancelled);
      expect(afterCancel).toMatchObject({ state: 'autoPaymentOff', expiryTime: tenthOfMarch });
      const voided = await nextSubscription(renewing);
      const [concurrent] = await Promise.all([
        call(voided, 'extend', { expiryTime: tenthOfMarch }),
        tryVoid(renewing.server, renewing.app, voided),
      ]);
      const isFirst = (await eventsOf(renewing, voided)).includes('extended');
      expect(concurrent.status).toBe(isFirst ? 200 : 409);
      const afterVoid = await shownSubscription(renewing, voided);
      expect(afterVoid).toMatchObject({ state: 'terminated', expiryTime: afterVoid.terminatedTime });
    }
    await expectSound(renewing);
  });
});
