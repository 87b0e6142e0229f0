// The plans of lists: each page is read from the index that serves its filters, also with the generic plan of a prepared
// statement, which PostgreSQL makes without the values.

import { Client } from 'pg';
import { expect, test } from 'vitest';
import { listApps } from '../../src/store/apps/apps.ts';
import { listProducts } from '../../src/store/apps/products.ts';
import { listActions } from '../../src/store/audit/actions.ts';
import type { Queryable } from '../../src/store/connection/statement.ts';
import { listSubscriptionEvents } from '../../src/store/events/event-slices.ts';
import { listPurchases } from '../../src/store/purchases/purchase-lists.ts';
import * as attention from '../../src/store/status/attention.ts';
import { listAttempts } from '../../src/store/subscriptions/attempt-lists.ts';
import { listSubscriptions } from '../../src/store/subscriptions/subscription-lists.ts';
import { listDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { freshDatabase, newTestApp, testNow, useForFile, useTestServer } from '../harness.ts';
import { fillStore, longSubscription } from './large-store.ts';

const database = await useForFile(freshDatabase());
const { connection } = database;
const server = await useTestServer({ database });
const { packageName } = await newTestApp(server);
await fillStore(
  connection,
  packageName,
  {
    apps: 300,
    purchases: 20_000,
    subscriptions: 3_000,
    months: 200,
    events: 5_000,
    failedDeliveries: 500,
    actions: 10_000,
  },
  testNow,
);

const client = new Client(connection);
await client.connect();
await useForFile({ [Symbol.asyncDispose]: () => client.end() });
// The app has a part of the subscriptions. After a vacuum, a scan of a whole index is as cheap as that of the app's part.
await client.query(`alter table subscription set (autovacuum_enabled = off);
  update subscription set package_name = 'com.example.other00001' where first_purchase_id not like '%7';
  analyze subscription`);
await client.query('set plan_cache_mode = force_generic_plan');
// Small tables would be read as a whole, and sorted.
await client.query('set enable_seqscan = off; set enable_bitmapscan = off');

/** The plans of the statements of a read, which finds no rows. */
async function plansOf(read: (queryable: Queryable) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await read({
    rows: async ({ text }, values) => {
      const literals = values.map((value) =>
        client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
      );
      await client.query(`prepare planned as ${text}`);
      const parameters = literals.length === 0 ? '' : `(${literals.join(', ')})`;
      const { rows } = await client.query(`explain execute planned${parameters}`);
      await client.query('deallocate planned');
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return [];
    },
  });
  return plans;
}

const firstPage = { after: undefined, limit: 50, now: testNow };
const position = {
  packageName,
  productId: 'coins',
  purchaseId: 'p-7',
  firstPurchaseId: 'S-7',
  time: testNow,
  order: 7,
  eventOrder: 7,
};
const nextPage = { ...firstPage, after: position };
const ofApp = { packageName };
const ofBuyer = { buyerId: 'b-7' };
const inBoth = { ...ofApp, ...ofBuyer };
const inTime = { from: 1, to: testNow };
const ofMonths = { packageName, firstPurchaseId: longSubscription, fromPeriod: 0, toPeriod: 50 };
const voided = { state: 'voided' } as const;
const outstanding = { state: 'payment_outstanding' } as const;

type List = (queryable: Queryable, filter: never, page: never) => Promise<unknown>;

const lists: readonly (readonly [index: string, list: List, filters: readonly object[]])[] = [
  ['app_pkey', listApps, [{}, { containing: 'x' }, { state: 'active' }]],
  ['product_pkey', listProducts, [ofApp]],
  ['purchase_by_time', listPurchases, [{}, inTime, ofApp, { ...ofApp, ...inTime }]],
  ['purchase_by_time', listPurchases, [{ ...ofApp, productId: 'gems', state: 'consumed' }]],
  ['purchase_pkey', listPurchases, [{ purchaseId: 'p-7' }, { ...ofApp, purchaseId: 'p-7' }]],
  ['purchase_order_id', listPurchases, [{ orderId: 'o-7' }, { ...ofApp, orderId: 'o-7' }]],
  ['purchase_buyer', listPurchases, [ofBuyer, { ...ofBuyer, ...inTime }, inBoth, { ...inBoth, ...inTime }]],
  ['purchase_buyer', listPurchases, [{ ...inBoth, state: 'consumed' }]],
  ['purchase_voided', listPurchases, [voided, { ...voided, ...inTime }]],
  [
    'purchase_void',
    listPurchases,
    [
      { ...ofApp, ...voided },
      { ...ofApp, ...voided, ...inTime },
    ],
  ],
  ['purchase_void', listPurchases, [{ ...ofApp, ...voided, productId: 'gems' }]],
  ['subscription_by_start', listSubscriptions, [{}, { productId: 'monthly', state: 'active' }]],
  ['subscription_of_app', listSubscriptions, [ofApp, { ...ofApp, productId: 'monthly', state: 'active' }]],
  ['subscription_buyer', listSubscriptions, [ofBuyer, inBoth]],
  ['subscription_renewing', listSubscriptions, [outstanding]],
  ['subscription_renewing_of_app', listSubscriptions, [{ ...ofApp, ...outstanding }]],
  ['webhook_delivery_pkey', listDeliveries, [ofApp, { ...ofApp, state: 'delivered' }]],
  ['webhook_delivery_failed', listDeliveries, [{ ...ofApp, state: 'dead' }]],
  ['event_of_purchase', listDeliveries, [{ ...ofApp, purchaseId: 'p-7', state: 'dead' }]],
  [
    'operator_action_by_time',
    listActions,
    [{}, { ...inTime, operationId: 'putToken', by: 'operator:admin' }],
  ],
  ['operator_action_of_app', listActions, [ofApp, { ...ofApp, ...inTime, by: 'operator:admin' }]],
  ['operator_action_of_subject', listActions, [{ subject: 'p-7' }, { ...ofApp, subject: 'p-7' }]],
];
const reads = lists.flatMap(([index, list, filters]) => filters.map((filter) => ({ index, list, filter })));

test.each(reads)('$index serves the list by $filter, from its start and after a page', async (read) => {
  for (const page of [firstPage, nextPage]) {
    const plans = await plansOf((queryable) => read.list(queryable, read.filter as never, page as never));
    for (const plan of plans) {
      expect(plan).toContain(` using ${read.index}`);
      expect(plan).not.toMatch(/Seq Scan on (?!app_counter)|Bitmap/);
    }
  }
});

const before = testNow;
const limit = 50;

test.each<readonly [index: string, name: string, read: (queryable: Queryable) => Promise<unknown>]>([
  [
    'subscription_renewing',
    'listOutstandingPayments',
    (all) => attention.listOutstandingPayments(all, before),
  ],
  [
    'subscription_due',
    'listOverdueRenewals',
    (all) => attention.listOverdueRenewals(all, { before, except: [] }),
  ],
  ['renewal_attempt_waiting', 'listUnresolved', attention.listUnresolved],
  ['renewal_attempt_conflict', 'listContradicted', attention.listContradicted],
  ['webhook_delivery_failed', 'listFailingWebhooks', attention.listFailingWebhooks],
  ['webhook_delivery_failed', 'listDeadDeliveries', attention.listDeadDeliveries],
  ['event_of_purchase', 'listSubscriptionEvents', (app) => listSubscriptionEvents(app, ofMonths, limit)],
  ['renewal_attempt_pkey', 'listAttempts', (app) => listAttempts(app, ofMonths, limit)],
])('%s serves %s', async (index, _name, read) => {
  const plans = await plansOf(read);
  for (const plan of plans) {
    expect(plan).toContain(` using ${index}`);
    expect(plan).not.toMatch(/Seq Scan on (?!app_clock)|Bitmap/);
  }
  expect(plans).toHaveLength(1);
});
