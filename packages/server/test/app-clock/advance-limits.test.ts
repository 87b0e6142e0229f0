// The limits of an advance, with a gateway that the tests control and a lower limit of items.

import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase, testNow, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { insertClock } from '../../../../test/support/stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { ChargeAnswer } from '../../src/charging/gateways/payment-gateway.ts';
import { noAction } from '../../src/operations/audit/action-recorder.ts';
import { type AdvanceOptions, clockAdvancer } from '../../src/operations/sandbox/advanceClock.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { findAppClock } from '../../src/store/sandbox/app-clocks.ts';
import { sandboxStateReader } from '../../src/store/sandbox/sandbox-state.ts';
import { insertApp, insertSubscriptions } from '../renewals/due-subscriptions.ts';

const { connection } = await useForFile(freshDatabase());
const database = await useForFile(openDatabase(connection, 10));

const clock = new TestClock(testNow);
await clock.drive({ connection });
beforeEach(() => clock.set(testNow));

const secondMs = 1_000;
const dayMs = 86_400_000;
const leaseMs = 5_000;
const fastRate = 1_000;

interface Stand extends Pick<Partial<AdvanceOptions>, 'testing'> {
  /** Runs before the due subscriptions are charged. */
  readonly beforeCharges?: () => Promise<void>;
  readonly charge?: (packageName: string) => Promise<ChargeAnswer | undefined>;
}

/** `charge` runs for each charge; the gateway declines finally unless it returns another response. */
function advancer({ charge, beforeCharges, ...changed }: Stand) {
  const readState = sandboxStateReader(database);
  const store = { database, clock: new StoreClock(clock, 'sandbox') };
  const advance = clockAdvancer({
    store,
    randomness: secureRandomness,
    timeZone: 'UTC',
    isStopping: () => false,
    async readSandboxState(packageName) {
      await beforeCharges?.();
      return readState(packageName);
    },
    renewals: {
      ...store,
      environment: 'sandbox',
      installationId: Buffer.alloc(16),
      randomness: secureRandomness,
      retries: [],
      log: pino({ level: 'silent' }),
      onRefundDue: () => undefined,
      holder: 'this server',
      gateway: {
        charge: async ({ packageName }) => (await charge?.(packageName)) ?? { outcome: 'declinedFinal' },
      },
    },
    ...changed,
  });
  return (request: Omit<Parameters<typeof advance>[0], 'recordAction'>) =>
    advance({ ...request, recordAction: noAction });
}

const dueTime = testNow + 1;

/** An app with subscriptions that are due soon. */
async function insertDue(packageName: string, count: number): Promise<void> {
  await insertApp(connection, packageName);
  await insertSubscriptions(connection, packageName, { count, start: testNow - dayMs, due: dueTime });
}

test('an advance that reaches its limit of items stops there, and continues when it is called again', async () => {
  const packageName = 'com.limits.much';
  await insertDue(packageName, 4);
  let charges = 0;
  const charge = async () => {
    charges += 1;
    return undefined;
  };
  const advance = advancer({ charge, testing: { itemsMax: 3 } });
  const to = testNow + dayMs;
  const request = { packageName, to, requestId: 'r' };
  expect(await advance(request)).toEqual({ kind: 'tooMuch', to, now: dueTime });
  expect(charges).toBe(3);
  expect(await findAppClock(database, packageName)).toMatchObject({ advanceTo: to, leaseUntil: null });
  expect(await advance(request)).toMatchObject({ kind: 'done', now: to });
  expect(charges).toBe(4);
  expect(await findAppClock(database, packageName)).toMatchObject({ advanceTo: null, appTime: to });
});

test('an advance keeps its lease however long one of its steps takes', async () => {
  const packageName = 'com.limits.slow';
  await insertDue(packageName, 1);
  const leaseUntil = async () => (await findAppClock(database, packageName))?.leaseUntil ?? 0;
  const charge = async () => {
    const before = await leaseUntil();
    await clock.advance(4 * secondMs);
    await waitFor(async () => (await leaseUntil()) > before, { what: 'a longer lease' });
    return undefined;
  };
  const request = { packageName, by: 'P1D', requestId: 'r' };
  expect(await advancer({ charge })(request)).toMatchObject({ kind: 'done' });
});

test('a clock that ran on after the lease of an advance had ended does not go back', async () => {
  const packageName = 'com.limits.late';
  await insertDue(packageName, 1);
  await insertClock({ connection }, { packageName }, { mode: 'running', rate: fastRate });
  const advance = advancer({ beforeCharges: () => clock.advance(leaseMs + secondMs) });
  const request = { packageName, to: testNow + secondMs, requestId: 'r' };
  expect(await advance(request)).toMatchObject({ kind: 'done', now: testNow + secondMs * fastRate });
});

test('an advance that has lost its lease leaves the clock to the new holder and writes nothing', async () => {
  const packageName = 'com.limits.lost';
  await insertDue(packageName, 1);
  const charge = async () => {
    const sql = `update app_clock set lease_holder = 'another' where package_name = '${packageName}'`;
    await query(connection, sql);
    return undefined;
  };
  const to = testNow + dayMs;
  const advance = advancer({ charge });
  expect(await advance({ packageName, to, requestId: 'r' })).toEqual({ kind: 'lost', to, now: testNow });
  expect(await findAppClock(database, packageName)).toMatchObject({
    leaseHolder: 'another',
    appTime: testNow,
    advanceTo: to,
  });
  const sql = `select outcome from renewal_attempt where package_name = '${packageName}'`;
  expect(await query(connection, sql)).toEqual([{ outcome: null }]);
});
