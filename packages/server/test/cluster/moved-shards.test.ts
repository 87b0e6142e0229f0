// Shards that move to another node while their apps are in use.

import { expect, test } from 'vitest';
import { AcknowledgedLoad } from '../attack/acknowledged-load.ts';
import { answeredWithinMs } from '../attack/every-call.ts';
import { auditLedger } from '../attack/ledger-audit.ts';
import { query } from '../embedded/scratch.ts';
import { adminKey, freshDatabase, startTestServer, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { atNode, createAppOn, portOfRows, workerPorts } from './nodes.ts';

/** Acknowledged calls between two moves. */
const callsBetween = 200;

const goesOnWithinMs = 30_000;

const [first = 0, second = 0] = workerPorts;
const database = await useForFile(freshDatabase());
const { connection } = database;
const onCoordinator = await useForFile(startTestServer({ database }));
const onSecond = await useForFile(startTestServer({ database: { connection: atNode(connection, second) } }));

/** Moves the rows of an app, with those of the other apps on its shard. */
async function moveRows(packageName: string, mode: 'force_logical' | 'block_writes'): Promise<void> {
  const from = await portOfRows(connection, packageName);
  const to = from === first ? second : first;
  await query(
    connection,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('purchase', $1::text),
      '127.0.0.1', $2, '127.0.0.1', $3, $4::citus.shard_transfer_mode)`,
    [packageName, from, to, mode],
  );
  expect(await portOfRows(connection, packageName)).toBe(to);
}

/** How many shards each node has that has some. */
async function shardCounts(): Promise<number[]> {
  const rows = await query(
    connection,
    `select count(*)::int as shards from citus_shards where table_name = 'purchase'::regclass group by nodeport`,
  );
  return rows.map(({ shards }) => shards).sort();
}

/** Starts what operators start after adding a node, and waits for its end. */
async function rebalance(): Promise<void> {
  await query(connection, 'select citus_rebalance_start()');
  await query(connection, 'select citus_rebalance_wait()');
}

test('while shards move, one back and forth and others by a rebalance, calls succeed or get 503, and nothing acknowledged is lost or doubled', {
  timeout: 300_000,
}, async () => {
  const app = await createAppOn(onCoordinator, { connection, port: first, name: 'moved' });
  const loads = [onCoordinator, onSecond].map((server, index) => ({
    server,
    load: new AcknowledgedLoad(app, adminKey, `${index}-`),
  }));
  let isOver = false;
  const running = loads.map(({ server, load }) => load.run(server, () => isOver));
  const untilGoingOn = async () => {
    for (const { load } of loads) {
      const enough = load.acknowledgedCalls + callsBetween;
      await waitFor(() => load.acknowledgedCalls >= enough, {
        deadlineMs: goesOnWithinMs,
        what: 'a load that goes on',
      });
    }
  };
  for (const mode of ['force_logical', 'block_writes', 'force_logical'] as const) {
    await untilGoingOn();
    await moveRows(app.packageName, mode);
  }
  await untilGoingOn();
  expect(await shardCounts()).toEqual([1, 3]);
  await rebalance();
  expect(await shardCounts()).toEqual([2, 2]);
  await untilGoingOn();
  isOver = true;
  await Promise.all(running);
  for (const { server, load } of loads) {
    await load.expectAllThere(server);
    expect(load.slowestMs).toBeLessThan(answeredWithinMs);
  }
  expect(await auditLedger(connection)).toEqual({});
});
