// A server dies at each named point of a renewal, like after kill -9, and the next one continues; checked at the gateway and
// in the database.

import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  eventsOf,
  firstDue,
  hourMs,
  lastDetails,
  passTo,
  secondDue,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { auditSubscriptions } from '../../../../test/support/renewals/subscription-audit.ts';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import { endOfServer } from './renewing-process.ts';

const leaseMs = 20_000;

let ids: readonly string[];
let count = 0;

const stage = await useForFile(startRenewalStage());

beforeEach(async () => {
  await stage.clock.set(stageStart);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  count += 1;
  ids = ['a', 'b', 'c'].map((letter) => `${letter}-${count}`);
  for (const id of ids) await subscribe(stage, id);
});

/** The periods of this test's subscriptions in the database, and their payments at the gateway. */
async function seen() {
  const named = ids.map((id) => `'${id}'`).join();
  const [row] = await query(
    stage.server.connection,
    `select (select count(*)::int from purchase where first_purchase_id in (${named}) and period_index = 1) as periods,
      (select count(*)::int from event where first_purchase_id in (${named})) as events,
      (select count(*)::int from renewal_attempt where first_purchase_id in (${named}) and outcome is null) as open`,
  );
  const ofTest = (key: string) => ids.includes(key.split('/')[2] ?? '');
  return {
    periods: Number(row?.['periods']),
    events: Number(row?.['events']),
    open: Number(row?.['open']),
    asked: stage.gateway.orders.filter(({ idempotencyKey }) => ofTest(idempotencyKey)).length,
    taken: [...stage.gateway.taken.keys()].filter(ofTest).length,
  };
}

/** The state after the death, in addition to the event of each start. */
const atDeath: Readonly<Record<CrashPoint, (left: Awaited<ReturnType<typeof seen>>) => void>> = {
  afterAttempt: (left) => expect(left).toEqual({ periods: 0, events: 3, open: 3, asked: 0, taken: 0 }),
  afterCharge(left) {
    expect(left).toMatchObject({ periods: 0, events: 3, open: 3 });
    expect(left.asked).toBeGreaterThan(0);
  },
  beforeCommit(left) {
    expect(left).toMatchObject({ periods: 0, events: 3, open: 3 });
    expect(left.asked).toBeGreaterThan(0);
  },
  afterCommit(left) {
    expect(left.events).toBeGreaterThan(3);
    expect(left.open).toBe(6 - left.events);
  },
};

test.each(Object.keys(atDeath) as CrashPoint[])(
  'after a server dies at %s the next one pays each period once and publishes each event once',
  async (crashPoint) => {
    const [declined = ''] = ids;
    stage.gateway.decide(({ firstPurchaseId }) => ({
      outcome: firstPurchaseId === declined ? 'declined' : 'paid',
    }));
    await stage.clock.set(firstDue);
    await expect(endOfServer(stage, { now: firstDue, crashPoint })).resolves.toBe('SIGKILL');
    atDeath[crashPoint](await seen());
    await passTo(stage, firstDue + leaseMs - 1);
    atDeath[crashPoint](await seen());
    await passTo(stage, firstDue + leaseMs);
    expect(await seen()).toMatchObject({ periods: 2, open: 0, taken: 2 });
    for (const id of ids) {
      const isPaid = id !== declined;
      expect(await eventsOf(stage, id)).toEqual(['started', isPaid ? 'renewed' : 'payment_failed']);
      expect(await lastDetails(stage, id)).toMatchObject(
        isPaid
          ? { startTime: firstDue, expiryTime: secondDue }
          : { expiryTime: firstDue, nextPaymentTime: firstDue + hourMs },
      );
    }
    const audit = await auditSubscriptions(stage.server.connection, stage.gateway.taken, stage.clock.now());
    expect(audit).toMatchObject({ problems: [], subscriptions: ids.length * count });
  },
);
