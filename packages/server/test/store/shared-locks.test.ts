// Every kind of work that locks something which the calls of an app share, all at once: the locks are those of the table in
// docs/decisions/database.md.

import { expect, type MockInstance, test, vi } from 'vitest';
import { newTestApp, testNow, useTestServer } from '../../../../test/support/harness.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import { monotonicClock } from '../../src/runtime/clock.ts';
import { lockApp } from '../../src/store/apps/apps.ts';
import { appendAction } from '../../src/store/audit/actions.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import type { Database, Queryable } from '../../src/store/connection/database.ts';
import { LockNotAvailable } from '../../src/store/connection/database-failure.ts';
import { appendEvents, assignVoidOrder } from '../../src/store/events/events.ts';
import { purchaseConsumer } from '../../src/store/purchases/consumptions.ts';
import { insertOneTime, type NewPurchase } from '../../src/store/purchases/recorded-purchases.ts';
import { lockVoids, voidedPageReader } from '../../src/store/purchases/voided-purchases.ts';
import {
  isBeingAdvanced,
  lockAppClock,
  lockAppClockToSet,
  updateAppClock,
} from '../../src/store/sandbox/app-clocks.ts';
import { countStep, listFreshApps } from '../../src/store/statistics/statistic-days.ts';
import { awaitBegun, shareRenewals } from '../../src/store/subscriptions/renewal-pauses.ts';
import { auditLedger, ledgerRules } from '../purchases/ledger-audit.ts';

const server = await useTestServer();

const togetherMs = 5_000;
/** Several of each kind, since work may deadlock with its own kind next to another. */
const serversOfTest = 3;
const callsTogether = 4;
/** Shorter than any wait for a lock, which would end a deadlock before it is found. */
const findsDeadlocks = { options: '-c deadlock_timeout=20ms' };

const author = { madeBy: 'test', requestId: 'r', clientAddress: null };

/** One server's work, each with an own connection as long as there is one. */
function worksOf(packageName: string) {
  const environment = 'sandbox';
  const database = openDatabase({ ...server.connection, ...findsDeadlocks }, 30);
  const clock = new StoreClock(server.clock, environment);
  const store = { database, clock };
  const { isDistributed } = database;
  const consume = purchaseConsumer(store);
  const readVoided = voidedPageReader(store);
  const alone = (work: (transaction: Queryable) => Promise<unknown>) =>
    database.transaction({ packageName }, work);
  const setClock = (lock: typeof lockAppClock) =>
    alone(async (transaction) => {
      const { locked } = await lock(transaction, { packageName, clock });
      await updateAppClock(transaction, packageName, locked);
    });
  const purchaseOf = (purchaseId: string, isConsumed: boolean): NewPurchase => ({
    ...author,
    ...{ packageName, purchaseId, isConsumed, productId: 'coins', developerPayload: '', consumedBy: null },
    ...{ orderId: null, buyerId: null, price: null, purchaseTime: null },
  });
  const works = {
    async sale(id: string) {
      const ids = Array.from({ length: callsTogether }, (_, n) => `${id}-${n}`);
      await insertOneTime(
        store,
        ids.map((id, n) => purchaseOf(id, n === 0)),
      );
      const consumed = await Promise.all(
        ids.map((purchaseId) => consume({ packageName, purchaseId, shows: false, ...author })),
      );
      expect(consumed.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(callsTogether - 1);
    },
    renewal: () =>
      alone(async (transaction) => {
        await isBeingAdvanced(transaction, { clock, environment }, packageName);
        await shareRenewals(transaction, { packageName, isDistributed });
        await clock.read(transaction, packageName);
      }),
    pause: () => awaitBegun(database, packageName),
    void: () =>
      alone(async (transaction) => {
        await lockVoids(transaction, packageName);
        const { now } = await clock.read(transaction, packageName);
        await assignVoidOrder(transaction, packageName, now);
        const type = 'purchase.voided';
        const ids = { purchaseId: 'P', firstPurchaseId: null, productId: 'coins', record: null };
        await appendEvents(transaction, packageName, [{ type, eventTime: now, ...ids }], author);
      }),
    page: () =>
      readVoided({ packageName, start: 0, end: testNow, isEndOpen: true, after: undefined, limit: 10 }),
    action: () =>
      alone((transaction) =>
        appendAction(transaction, packageName, {
          ...{ time: testNow, operationId: 'test', madeBy: 'test', clientAddress: null, requestId: 'r' },
          ...{ subject: null, detail: null, reasonCode: null, note: null, ticket: null },
        }),
      ),
    async statistics() {
      for (const app of await listFreshApps(database, packageName)) await countStep(database, app, 'UTC');
    },
    clock: () => setClock(lockAppClockToSet),
    reset: () => setClock(lockAppClock),
    settings: () => alone((transaction) => lockApp(transaction, packageName)),
  };
  return { works: works satisfies Record<string, (id: string) => Promise<unknown>>, database };
}

/** A wait that a busy machine makes too long: deadlocks are found long before. */
const isTimeout = (error: unknown) => error instanceof LockNotAvailable && error.message.includes('timeout');

const failedStatements = ({ mock }: MockInstance<Database['rows']>) =>
  mock.settledResults.flatMap(({ type, value }) => (type === 'rejected' && !isTimeout(value) ? [value] : []));

/** To Citus, two pages that wait are one transaction, which it finds in a deadlock with the void between them. */
const pages = isCluster ? [] : (['page'] as const);

test.each([
  ['a sale and a renewal', ['sale', 'sale', 'renewal', 'renewal']],
  ['what locks the counter row', ['sale', 'renewal', 'pause', 'void', 'action', 'statistics']],
  ['what locks the voids or the clock', ['renewal', 'void', ...pages, 'clock', 'reset', 'settings']],
] as const)(
  '%s of one app run together for 5 seconds without an error or a gap in the events',
  async (_, kinds) => {
    const { packageName } = await newTestApp(server);
    await using stack = new AsyncDisposableStack();
    const failures: unknown[] = [];
    const until = monotonicClock.now() + togetherMs;
    const spies: MockInstance<Database['rows']>[] = [];
    const running = Array.from({ length: serversOfTest }, (__, count) => {
      const { works, database } = worksOf(packageName);
      stack.use(database);
      // A shared write runs again after a deadlock.
      spies.push(vi.spyOn(database, 'rows'));
      return kinds.map(async (kind, index) => {
        for (let times = 0; monotonicClock.now() < until; times += 1) {
          await works[kind](`${count}-${index}-${times}`).catch((error: unknown) => {
            if (!isTimeout(error)) failures.push([kind, error]);
          });
        }
      });
    });
    await Promise.all(running.flat());
    expect(failures).toEqual([]);
    expect(spies.flatMap(failedStatements)).toEqual([]);
    const rule = 'events of an app are numbered 1, 2, 3 up to its counter';
    expect(await auditLedger(server.connection, { [rule]: ledgerRules[rule] })).toEqual({});
  },
);
