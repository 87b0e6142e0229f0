// The feed while two servers write: whatever is in flight, aborted or rejected, readers on both servers see every event once
// and in order, and one for each change.

import type { Event } from '@opentill/contract/events.ts';
import fc from 'fast-check';
import PQueue from 'p-queue';
import { expect, test } from 'vitest';
import { changeAutoPayment, tryConsume, tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import {
  type HttpResponse,
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  type TestServer,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { consumedEventsSql } from '../../../../test/support/stage.ts';
import { openSecondConnection } from '../../../../test/support/store/second-connection.ts';
import { ordersOf, tryListEvents, walkEvents } from './feed-calls.ts';

const runs = 12;

const servers = await useTwoTestServers();

/** A change that a writer makes to a purchase through one of the servers. */
interface Step {
  readonly by: 0 | 1;
  readonly purchase: number;
  readonly change: 'record' | 'consume' | 'void' | 'cancel' | 'reactivate' | 'aborted';
}

/** Purchases with an even number are one-time, the others start a subscription. */
const purchases = 6;

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    by: fc.constantFrom(0, 1),
    purchase: fc.nat(purchases - 1),
    change: fc.constantFrom('record', 'record', 'consume', 'void', 'cancel', 'reactivate', 'aborted'),
  }),
  { minLength: 10, maxLength: 40 },
);

/** A change and the purchase that it was made to. */
interface Change {
  readonly type: string;
  readonly purchaseId: string;
}

/** On an overloaded machine, a change that got 503 may have been made or not. */
interface Changes {
  readonly made: Change[];
  readonly perhaps: Change[];
}

/** Concurrent writers: enough to conflict, and not so many that they overload the machine. */
const writersMax = 6;

async function take({ by, purchase, change }: Step, app: TestApp, changes: Changes): Promise<void> {
  const server = servers[by];
  const purchaseId = `P-${purchase}`;
  const told = (type: string, { status }: HttpResponse, isMade: boolean) => {
    if (status === 503) changes.perhaps.push({ type, purchaseId });
    else if (isMade) changes.made.push({ type, purchaseId });
  };
  switch (change) {
    case 'record': {
      const [productId, type] =
        purchase % 2 === 0 ? ['coins', 'purchase.completed'] : ['monthly', 'subscription.started'];
      const body = { productId, purchaseId };
      const response = await operate(server, 'POST', `/apps/${app.packageName}/purchases`, { body });
      expect([200, 201, 503]).toContain(response.status);
      return told(type, response, response.status === 201);
    }
    case 'consume': {
      const response = await tryConsume(server, app, purchaseId);
      expect([200, 409, 503]).toContain(response.status);
      return told('purchase.consumed', response, response.status === 200);
    }
    case 'void':
      // A retry gets the same response; there must be only one event in either case.
      return void (await tryVoid(server, app, purchaseId));
    case 'cancel':
    case 'reactivate': {
      const response = await changeAutoPayment(server, app, { purchaseId, action: change });
      const done = change === 'cancel' ? 'cancelled' : 'reactivated';
      return told(`subscription.auto_payment_${done}`, response, response.body.responseCode === 0);
    }
    case 'aborted':
      return abort(app, purchaseId);
  }
}

/** Assigns orders and writes events like a server that dies before it commits. */
async function abort({ packageName }: TestApp, purchaseId: string): Promise<void> {
  await using transaction = await openSecondConnection(servers[0].connection);
  await transaction.run(consumedEventsSql(2), [packageName, purchaseId]);
}

/** Follows the feed through one server in small pages until it has read up to the given order. */
async function follow(
  server: TestServer,
  app: TestApp,
  { pageSize, until }: { pageSize: number; until: Promise<number> },
): Promise<Event[]> {
  const events: Event[] = [];
  let last: number | undefined;
  void until.then((order) => {
    last = order;
  });
  let after = '0';
  while (last === undefined || events.length < last) {
    const response = await tryListEvents(server, app, { after, pageSize, waitSeconds: 1 });
    if (response.status === 503) continue;
    expect(response.status, response.text).toBe(200);
    events.push(...response.body.events);
    after = response.body.cursor;
  }
  return events;
}

const namesOf = (events: readonly object[]) =>
  events.map((event) => event as Change).map(({ type, purchaseId }) => `${purchaseId} ${type}`);

test('readers on two servers see every event once and in order, and as many events as changes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (drawn, pageSize) => {
      const app = await newTestApp(servers[0]);
      const changes: Changes = { made: [], perhaps: [] };
      const writers = new PQueue({ concurrency: writersMax });
      const written = Promise.withResolvers<number>();
      const readers = servers.map((server) => follow(server, app, { pageSize, until: written.promise }));
      await Promise.all(drawn.map((step) => writers.add(() => take(step, app, changes))));
      // The last written event can be read at once, without a wait.
      const last = await recordTestPurchase(servers[1], app, { purchaseId: 'last' });
      changes.made.push({ type: 'purchase.completed', purchaseId: last.purchaseId });
      const all = await walkEvents(servers[0], app);
      expect(all.at(-1)).toMatchObject({ purchaseId: 'last', order: all.length });
      written.resolve(all.length);
      for (const read of await Promise.all(readers)) expect(read).toEqual(all);
      expect(ordersOf(all)).toEqual(all.map((_, index) => index + 1));
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expectSound(all, changes);
    }),
    { numRuns: runs },
  );
});

/** Checks that every acknowledged change has its event, and that the only other events are one void for each purchase. */
function expectSound(events: readonly Event[], { made, perhaps }: Changes): void {
  const isOfVoid = ({ type }: Event) => type === 'purchase.voided' || type === 'subscription.terminated';
  const told = namesOf(events.filter((event) => !isOfVoid(event)));
  const unknown = namesOf(perhaps);
  for (const name of namesOf(made)) expect(removeOne(told, name), name).toBe(true);
  for (const name of told) expect(removeOne(unknown, name), name).toBe(true);
  const voids = namesOf(events.filter(isOfVoid));
  expect(new Set(voids).size).toBe(voids.length);
  const ofPurchase = Map.groupBy(events, (event) => (event as Change).purchaseId);
  for (const own of ofPurchase.values()) {
    const types = own.map(({ type }) => type);
    expect(types[0]).toMatch(/^(?:purchase\.completed|subscription\.started)$/);
    const voided = types.indexOf('purchase.voided');
    // Only the end of the subscription may follow a void.
    if (voided >= 0)
      expect(types.slice(voided + 1)).toEqual(isMonthlyEnd(types) ? ['subscription.terminated'] : []);
  }
}

/** Removes one of these names from a list; false if there is none. */
function removeOne(names: string[], name: string): boolean {
  const place = names.indexOf(name);
  if (place >= 0) names.splice(place, 1);
  return place >= 0;
}

const isMonthlyEnd = (types: readonly string[]) => types.includes('subscription.started');
