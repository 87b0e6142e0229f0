// A gateway that is slow, silent or invalid for some apps does not delay the others.

import { beforeEach, expect, test } from 'vitest';
import { createTestApp, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  dayMs,
  firstDue,
  keyOf,
  openJobWith,
  passTo,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { PaymentGateway } from '../../src/charging/gateways/payment-gateway.ts';
import { slotsAtFirst, slotsMax } from '../../src/jobs/subscriptions/app-charges.ts';
import { chargesMax } from '../../src/jobs/subscriptions/renewal-job.ts';
import { insertApp, insertSubscriptions } from './due-subscriptions.ts';
import { heldGateway } from './held-gateway.ts';

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  await stage.clock.set(stageStart);
});

test('a subscription that cannot be written blocks no other of its app and is charged once', async () => {
  const ids = ['P-1', 'P-2', 'P-3', 'P-4'];
  for (const id of ids) await subscribe(stage, id);
  const setZone = (zone: string) =>
    query(
      stage.server.connection,
      `update subscription set time_zone = '${zone}' where first_purchase_id = 'P-2'`,
    );
  // A time zone that this server does not know.
  await setZone('Mars/Olympus_Mons');
  stage.told.logLines.length = 0;
  await passTo(stage, firstDue);
  const periods = async () =>
    Promise.all(ids.map(async (id) => (await shownSubscription(stage, id)).periods.length));
  expect(await periods()).toEqual([2, 1, 2, 2]);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, app: stage.app.packageName, msg: 'renewals could not be written' }),
  ]);
  await setZone('UTC');
  await passTo(stage, firstDue + 20_000);
  expect(await periods()).toEqual([2, 2, 2, 2]);
  expect(stage.gateway.taken.get(keyOf(stage.app, 'P-2', 1, 1))).toBe(1);
});

/** No answer is ever written for its charges. */
async function insertDeadApp(packageName: string, count: number): Promise<void> {
  await insertApp(stage.server.connection, packageName);
  const due = { count, start: stageStart - dayMs, due: firstDue - dayMs };
  await insertSubscriptions(stage.server.connection, packageName, due);
}

test('a server has a limit of charges in flight, and a charge that waits for a slot begins when one is free', async () => {
  const many = Array.from({ length: chargesMax / slotsAtFirst + 10 }, (_, index) => `com.many.app${index}`);
  for (const packageName of many) await insertDeadApp(packageName, slotsAtFirst);
  const held = heldGateway();
  await using one = openJobWith(stage.server, { gateway: held, environment: 'production' });
  await stage.clock.set(firstDue);
  one.job.start();
  await waitFor(() => held.waiting.size === chargesMax, { what: 'all slots in use' });
  const sizes: number[] = [];
  const areAsked = () => {
    sizes.push(held.waiting.size);
    held.answer({ outcome: 'declined' });
    return held.asked.filter((key) => key.includes('/com.many.')).length === many.length * slotsAtFirst;
  };
  await waitFor(areAsked, { what: 'the charges of all apps' });
  expect(Math.max(...sizes)).toBe(chargesMax);
});

const large = 'com.dead.large';

test('apps without answers delay no other app, are reduced to one charge in flight each, and get all their slots back when they are answered', async () => {
  const dead = Array.from({ length: 40 }, (_, index) => `com.dead.app${index + 10}`);
  for (const packageName of dead) await insertDeadApp(packageName, 2 * slotsAtFirst);
  await insertDeadApp(large, 50_001);
  const app = await createTestApp(stage.server, 'com.isolated.quick');
  const quick = { ...stage, app };
  await subscribe(quick, 'S-1');
  const held = heldGateway();
  const gateway: PaymentGateway = {
    charge: (charge, signal) =>
      charge.packageName.startsWith('com.dead.')
        ? held.charge(charge, signal)
        : Promise.resolve({ outcome: 'paid' }),
  };
  await using one = openJobWith(stage.server, { gateway, environment: 'production' });
  await stage.clock.set(firstDue);
  one.job.start();
  const isRenewed = async () => (await shownSubscription(quick, 'S-1')).periods.length === 2;
  await waitFor(isRenewed, { what: 'the quick app' });
  const inFlight = (packageName: string) =>
    [...held.waiting.keys()].filter((key) => key.includes(`/${packageName}/`)).length;
  const haveInFlight = (count: number) => [...dead, large].every((name) => inFlight(name) === count);
  await waitFor(() => haveInFlight(slotsAtFirst), { what: 'the first charges of each app' });
  held.answer({ outcome: 'unknown', reason: 'none' });
  await waitFor(() => haveInFlight(1), { what: 'one charge of each app' });
  const counts: number[] = [];
  const isRecovered = () => {
    counts.push(inFlight(large));
    if (inFlight(large) === slotsMax) return true;
    held.answer({ outcome: 'paid' }, large);
    return false;
  };
  await waitFor(isRecovered, { what: 'all slots of the app that is answered' });
  expect(Math.max(...counts)).toBe(slotsMax);
});
