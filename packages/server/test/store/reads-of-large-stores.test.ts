// Reads whose plan or first row depends on how much a store has: they read what they return, and no more.

import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestApp, testNow, useForFile, useTestServer } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { fillStore } from '../../../../test/support/store/large-store.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { Queryable } from '../../src/store/statements/statement.ts';
import { readCountedUntil, readUnpaid } from '../../src/store/statistics/statistic-reads.ts';
import { listSubscriptions } from '../../src/store/subscriptions/subscription-lists.ts';
import { listIds } from '../purchases/voided-purchases.ts';

const server = await useTestServer();
const { connection } = server;
const app = await createTestApp(server);
const { packageName } = app;
const size = { apps: 10, purchases: 20_000, subscriptions: 40_000, periods: 10, events: 20_000 };
await fillStore(connection, packageName, { ...size, failedDeliveries: 0, actions: 100 }, testNow);
// All are voided: the last of them now, each other one a second before the next.
await query(
  connection,
  `update purchase set voided_time = $1 - (19999 - substr(purchase_id, 3)::bigint) * 1000,
      void_order = substr(purchase_id, 3)::bigint + 1, void_reason = '1' where purchase_id like 'p-%'`,
  [testNow],
);
// Nobody is late: of five subscriptions, two go on and three have ended.
await query(connection, `update subscription set expiry_time = $1::bigint + 1000 where auto_renewing`, [
  testNow,
]);
await query(
  connection,
  `update subscription set expiry_time = $1::bigint - 1000, expiry_event_written = true where not auto_renewing`,
  [testNow],
);
const client = new Client(connection);
await client.connect();
await useForFile({ [Symbol.asyncDispose]: () => client.end() });
await client.query('vacuum analyze');
// Otherwise what the vacuum read is counted up to a minute later.
await client.query('select pg_stat_force_next_flush()');

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  /** 0 for a part of the plan that was not needed. */
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The nodes of the plans of the statements that a read sends, as far as they ran. */
async function plansOf(read: (queryable: Queryable) => Promise<unknown>): Promise<PlanNode[]> {
  const nodes: PlanNode[] = [];
  await read({
    async rows({ text }, values) {
      const explained = await client.query(`explain (analyze, format json) ${text}`, [...values]);
      const planned = nodesOf(explained.rows[0]['QUERY PLAN'][0].Plan);
      nodes.push(...planned.filter((node) => node['Actual Loops'] > 0));
      return [];
    },
  });
  return nodes;
}

test.skipIf(isCluster)(
  'a report looks for unpaid subscriptions without reading those that are paid or have ended',
  async () => {
    for (const by of ['day', 'product', 'app'] as const) {
      const report = { from: '2026-01-01', to: '2026-03-31', by };
      const nodes = await plansOf((queryable) =>
        readUnpaid(queryable, report, { timeZone: 'UTC', realNow: testNow }),
      );
      const read = nodes.filter((node) => node['Relation Name'] === 'subscription');
      expect(read.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(read.length).toBeGreaterThan(0);
    }
  },
);

test.skipIf(isCluster)('a list of payments that are due reads no subscription that is paid', async () => {
  const due = { nextPaymentBefore: testNow };
  const nodes = await plansOf((queryable) =>
    listSubscriptions(queryable, due, { after: undefined, limit: 50, now: testNow }),
  );
  const read = nodes.filter((node) => node['Relation Name'] === 'subscription');
  expect(read.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(read.length).toBeGreaterThan(0);
});

test.skipIf(isCluster)('a report reads one event of an app to say until when it counts', async () => {
  const nodes = await plansOf((queryable) =>
    readCountedUntil(queryable, { packageName: undefined, realNow: testNow }),
  );
  const read = nodes.filter((node) => node['Relation Name'] === 'event');
  expect(read.map((node) => node['Actual Rows'])).toEqual([1]);
});

test.skipIf(isCluster)('a first page of the voided list reads no void before its start', async () => {
  const reads = async () => {
    const text = `select idx_scan::int as scans, (idx_blks_hit + idx_blks_read)::int as blocks
      from pg_stat_user_indexes join pg_statio_user_indexes using (indexrelid)
      where pg_stat_user_indexes.indexrelname = 'purchase_void_order'`;
    return (await query(connection, text))[0] as { scans: number; blocks: number };
  };
  const before = await reads();
  const ids = await listIds(server, app, { startTime: testNow - 2_000, maxResults: 10 });
  expect(ids).toEqual(['p-19997', 'p-19998', 'p-19999']);
  const after = await waitFor(
    async () => {
      const now = await reads();
      return now.scans > before.scans ? now : undefined;
    },
    { what: 'the count of the scan' },
  );
  // 20,000 voids are on about a hundred pages of the index.
  expect(after.blocks - before.blocks).toBeLessThan(10);
});
