// One renewal run: subscriptions that all fall due at one instant, and when the last of them is renewed.

import { systemClock } from '../src/runtime/clock.ts';
import { auditSubscriptions } from '../test/renewals/subscription-audit.ts';
import { insertBlocks } from '../test/renewals/subscription-block.ts';
import { waitFor } from '../test/wait-for.ts';
import { packageNameOf } from './bench-ledger.ts';
import { pauseUntil } from './bench-time.ts';
import { type RenewalServers, takenBy } from './renewal-servers.ts';

/** Subscriptions of so many apps, the same number of each. */
export interface DueShape {
  readonly name: string;
  readonly count: number;
  readonly apps: number;
}

/** They are inserted before they are due, so that the database is in order when the run begins, in ms. */
const leadMs = 8_000;

/** A run that takes longer has stopped, in ms. */
const endWithinMs = 120_000;

/** Inserts subscriptions that fall due together, and gives that instant. */
export async function makeDue({ ledger }: RenewalServers, { name, count, apps }: DueShape): Promise<number> {
  const due = systemClock.now() + leadMs;
  const block = { count: count / apps, lastDue: due, apartMs: 0 };
  const packageNames = Array.from({ length: apps }, (_, app) => packageNameOf(app));
  await insertBlocks(
    ledger.client,
    packageNames.map((packageName) => ({ ...block, packageName, idPrefix: `${name}-` })),
  );
  await ledger.client.query('vacuum analyze');
  if (systemClock.now() > due) throw new Error('They were due before they were all there.');
  return due;
}

/** Whether nothing is due, and no attempt is open. */
export async function isDone({ ledger }: RenewalServers): Promise<boolean> {
  const now = systemClock.now();
  const { rows } = await ledger.client.query('select 1 from subscription where due_time <= $1 limit 1', [
    now,
  ]);
  return rows.length === 0;
}

export async function countRenewed({ ledger }: RenewalServers): Promise<number> {
  const { rows } = await ledger.client.query(
    `select count(*)::integer as count from renewal_attempt where outcome = 'paid'`,
  );
  return rows[0]?.count as number;
}

/** Waits until all that fell due at `due` is renewed; gives the seconds from that instant on. */
export async function secondsUntilDone(servers: RenewalServers, due: number): Promise<number> {
  await pauseUntil(due + 1);
  await waitFor(() => isDone(servers), { deadlineMs: endWithinMs, what: 'the end of a renewal run' });
  return (systemClock.now() - due) / 1_000;
}

/** @throws unless exactly so many months were paid, once each, and all is as it has to be. */
export async function requireFlawless(
  { ledger, gateway }: Pick<RenewalServers, 'ledger' | 'gateway'>,
  months: number,
): Promise<void> {
  const taken = await takenBy(gateway);
  const { problems, renewals, open } = await auditSubscriptions(ledger.postgres.connection, taken);
  if (problems.length === 0 && open === 0 && renewals === months && taken.size === months) return;
  const counted = `${renewals} months, ${taken.size} charges, ${open} open, ${problems.length} problems`;
  throw new Error(
    `${months} months were to be paid once each: ${counted}: ${problems.slice(0, 5).join('; ')}`,
  );
}
