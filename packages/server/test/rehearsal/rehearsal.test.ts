// A rehearsal equals what then happens: in a sandbox whose clock is advanced, and in production with the job.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { passTo, startRenewalStage, subscribe } from '../../../../test/support/renewals/renewal-stage.ts';
import { defaultRetries } from '../../../../test/support/subscriptions/started.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import { firstPeriods, periods } from '../domain/subscriptions/sold-periods.ts';
import { putSubscription } from '../subscription-products.ts';
import { foreseen, happened } from './foreseen.ts';

const sandbox = await useTestServer();
const operator = operatorOf(sandbox);
const stage = await useForFile(startRenewalStage());

const sold = fc.record({
  period: periods,
  firstPeriod: firstPeriods,
  renewalPrice: fc.constantFrom(null, 0, 990),
  /** Days of the app between this sale and the next. */
  laterDays: fc.nat(40),
  isCancelled: fc.constantFrom(false, false, false, true),
  extendedDays: fc.constantFrom(0, 0, 3, 35),
  declines: fc.constantFrom(0, 0, 1, 2, 9),
});
type Sold = typeof sold extends fc.Arbitrary<infer Value> ? Value : never;

const purchaseOf = ({ firstPeriod, renewalPrice }: Sold) => ({
  ...(firstPeriod !== null && { firstPeriod: { length: firstPeriod, price: 100 } }),
  ...(renewalPrice !== null && { renewalPrice }),
});

let apps = 0;

test('a rehearsal of a sandbox equals what advanceClock then does, charge by charge', async () => {
  const rounds = fc.asyncProperty(
    fc.array(sold, { minLength: 3, maxLength: 6 }),
    fc.integer({ min: 1, max: 500 }),
    async (subscriptions, days) => {
      apps += 1;
      const app = await createTestApp(sandbox, `com.rehearsed.app${apps}`);
      const { packageName } = app;
      const declines = new Map<string, number>();
      for (const [index, one] of subscriptions.entries()) {
        const id = `S-${index}`;
        const productId = await putSubscription(sandbox, app, one.period);
        await recordTestPurchase(sandbox, app, { productId, purchaseId: id, ...purchaseOf(one) });
        const key = { packageName, firstPurchaseId: id };
        if (one.extendedDays > 0) {
          const { expiryTime } = await operator.getSubscription(key);
          await operator.extendSubscription({ ...key, expiryTime: expiryTime + one.extendedDays * dayMs });
        }
        await operator.advanceClock({ packageName, by: `P${one.laterDays}DT1S` });
        if (one.isCancelled)
          await operate(sandbox, 'POST', `/apps/${packageName}/subscriptions/${id}/cancel`);
        declines.set(id, one.declines);
      }
      const declined = [...declines].filter(([, times]) => times > 0);
      const faults = declined.map(([firstPurchaseId, times]) => ({
        ...({ operation: 'charge', outcome: 'declined' } as const),
        ...{ firstPurchaseId, times },
      }));
      await operator.putFaults({ packageName, faults });
      const from = (await operator.getClock({ packageName })).now;
      const until = from + days * dayMs;
      const answer = ({ firstPurchaseId }: { firstPurchaseId: string }) => {
        const left = declines.get(firstPurchaseId) ?? 0;
        declines.set(firstPurchaseId, left - 1);
        return left > 0 ? 'declined' : 'paid';
      };
      const rules = { from, until, retries: defaultRetries, answer };
      const expected = await foreseen(sandbox.connection, packageName, rules);
      for (let { now } = await operator.getClock({ packageName }); now < until; )
        now = (await operator.advanceClock({ packageName, to: until })).now;
      expect(await happened(sandbox.connection, packageName, { after: from + 1 })).toEqual(expected);
    },
  );
  await fc.assert(rounds, { numRuns: 6, seed: 1 });
});

test('a rehearsal of production equals what the job then does with what is overdue, paused and open', async () => {
  const rounds = fc.asyncProperty(
    fc.array(sold, { minLength: 3, maxLength: 5 }),
    fc.constantFrom(0, 1, 5, 25, 70),
    fc.constantFrom('paid' as const, 'pending' as const, 'lost' as const),
    fc.boolean(),
    async (subscriptions, overdueDays, firstAnswer, isPaused) => {
      apps += 1;
      const app = await createTestApp(stage.server, `com.rehearsed.app${apps}`);
      const { packageName } = app;
      const { clock, gateway, server } = stage;
      const answers = {
        paid: { outcome: 'paid' },
        pending: { outcome: 'pending' },
        lost: { outcome: 'paid', trouble: 'lostRequest' },
      } as const;
      gateway.decide(() => answers[firstAnswer]);
      const start = clock.now();
      for (const [index, one] of subscriptions.entries()) {
        const productId = await putSubscription(server, app, one.period);
        await subscribe({ server, app }, `S-${index}`, { productId, ...purchaseOf(one) });
        await passTo(stage, clock.now() + one.laterDays * dayMs);
        if (one.isCancelled)
          await operate(server, 'POST', `/apps/${packageName}/subscriptions/S-${index}/cancel`);
      }
      await passTo(stage, Math.max(clock.now(), start + 45 * dayMs));
      // Nothing that happened before has this instant.
      await clock.advance(overdueDays * dayMs + 1_000);
      if (isPaused) await operate(server, 'POST', '/renewals/pause', { body: { packageName } });
      gateway.decide(() => answers.paid);
      const from = clock.now();
      const until = from + 100 * dayMs;
      const rules = { from, until, retries: defaultRetries, answer: () => 'paid' as const };
      const expected = await foreseen(server.connection, packageName, rules);
      const nextDue = async () => {
        const text = 'select min(due_time) as due from subscription where package_name = $1';
        const [row] = await query(server.connection, text, [packageName]);
        return Number(row.due ?? until + 1);
      };
      for (let due = await nextDue(); due <= until && !isPaused; due = await nextDue()) {
        await passTo(stage, Math.max(due, clock.now()));
      }
      if (isPaused) await passTo(stage, until);
      expect(await happened(server.connection, packageName, { after: from })).toEqual(expected);
      if (isPaused) expect(expected).toEqual([]);
      await clock.set(until + hourMs);
      await query(
        server.connection,
        'update subscription set open_charge_time = null, auto_renewing = false,' +
          ' next_payment_time = null, expiry_event_written = true where package_name = $1',
        [packageName],
      );
    },
  );
  await fc.assert(rounds, { numRuns: 6, seed: 1 });
});
