// Kills servers at random points of renewal runs and restarts them, in rounds.

import type { Client } from 'pg';
import { systemClock } from '../../src/runtime/clock.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { type OpentillProcess, startOpentill } from '../start/opentill-process.ts';
import { waitFor } from '../wait-for.ts';
import { insertBlocks } from './subscription-block.ts';

export interface KillRounds {
  readonly rounds: number;
  /** The database of the servers. */
  readonly client: Client;
  /** The settings of each server. */
  readonly env: Readonly<Record<string, string>>;
  /** Existing apps. */
  readonly packageNames: readonly string[];
  /** Each app gets this many subscriptions whenever fewer are due and unleased, so that no run ends before its kill. */
  readonly blockSize: number;
  /** The maximum of the random time from the start of a run to its kill, in ms. */
  readonly killedWithinMs: number;
  readonly onRound?: (round: number) => void;
}

export interface KilledRuns {
  /** Rounds whose kills left charges of unknown outcome. */
  readonly midstRounds: number;
  readonly subscriptions: number;
}

/** Within the grace, so that everything is charged. */
const firstDueAgoMs = 10 * 24 * 60 * 60 * 1000;

const deadlineMs = 60_000;

/** Kills both servers in each round; at the end no server is running, and many payments are due. */
export async function runKillRounds(run: KillRounds): Promise<KilledRuns> {
  let midstRounds = 0;
  let subscriptions = 0;
  for (let round = 1; round <= run.rounds; round += 1) {
    subscriptions += await refill(run, round);
    const since = await progressOf(run.client);
    await using stack = new AsyncDisposableStack();
    const servers = [1, 2].map(() => stack.use(startOpentill(run)));
    await waitFor(async () => (await progressOf(run.client)) !== since, {
      deadlineMs,
      what: 'a renewal run',
    });
    await Promise.all(servers.map((server) => killSoon(server, run.killedWithinMs)));
    if ((await countOf(run.client, leasedText, [systemClock.now()])) > 0) midstRounds += 1;
    run.onRound?.(round);
  }
  return { midstRounds, subscriptions };
}

/** Runs two servers until nothing is due and no attempt is open. */
export async function finishRenewals({ client, env }: Pick<KillRounds, 'client' | 'env'>): Promise<void> {
  await using stack = new AsyncDisposableStack();
  for (let server = 1; server <= 2; server += 1) stack.use(startOpentill({ env }));
  const isDone = async () => (await countOf(client, dueText, [systemClock.now()])) === 0;
  await waitFor(isDone, { deadlineMs: 2 * deadlineMs, what: 'the end of a renewal run' });
}

const dueText = 'subscription s where (s.due_time <= $1 or s.open_charge_time is not null)';
const leasedText = 'renewal_attempt a where a.outcome is null and a.lease_until > $1';
const freeText = `${dueText} and not exists (
  select from ${leasedText} and a.package_name = s.package_name and a.first_purchase_id = s.first_purchase_id)`;

async function refill({ client, packageNames, blockSize }: KillRounds, round: number): Promise<number> {
  const free = await countOf(client, freeText, [systemClock.now()]);
  if (free >= blockSize * packageNames.length) return 0;
  const lastDue = systemClock.now() - firstDueAgoMs;
  const block = { idPrefix: `K${round}-`, count: blockSize, lastDue, apartMs: 1 };
  await insertBlocks(
    client,
    packageNames.map((packageName) => ({ ...block, packageName })),
  );
  return blockSize * packageNames.length;
}

async function killSoon(server: OpentillProcess, withinMs: number): Promise<void> {
  const at = performance.now() + (secureRandomness.uint32() % withinMs);
  await waitFor(() => performance.now() >= at, { deadlineMs, what: 'the instant of a kill' });
  await server.kill();
}

/** A value that changes with every write of a renewal. */
async function progressOf(client: Client): Promise<string> {
  const { rows } = await client.query(
    `select (select sum(event_order) from app_counter) as events,
      (select max(lease_until) from renewal_attempt where outcome is null) as lease`,
  );
  return JSON.stringify(rows[0]);
}

async function countOf(client: Client, what: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await client.query(`select count(*)::integer as count from ${what}`, [...values]);
  return rows[0]?.count as number;
}
