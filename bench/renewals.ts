// npm run bench:renewals: two production servers renew subscriptions that fall due at one instant, of many apps and of
// one, while the latency of reads at a steady rate is measured. A gateway in this process approves each charge.

import { setTimeout as pause } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { auditSubscriptions } from '../packages/server/test/renewals/subscription-audit.ts';
import { waitFor } from '../packages/server/test/wait-for.ts';
import { type App, appNames, createApps, readRequests, recordPurchases, withSubscriptions } from './apps.ts';
import { startGateway } from './gateway.ts';
import { runLoad } from './load.ts';
import { report } from './report.ts';
import { type BenchServer, startBench } from './servers.ts';

const apps = 50;
const readable = 6_400;
const renewals = 9_600;
const readsPerSecond = 300;
const readSeconds = 5;
/** The subscriptions are recorded before they are due. */
const recordedWithinSeconds = 30;
const renewedWithinMs = 120_000;
const targets = { perSecond: 1_000, slowdown: 2 } as const;

interface Run {
  readonly server: BenchServer;
  readonly taken: ReadonlyMap<string, number>;
}

/** Returns the renewals per second; `concurrently` starts together with them. */
async function renew(
  { server, taken }: Run,
  due: readonly App[],
  name: string,
  concurrently?: () => Promise<void>,
) {
  const dueAt = Temporal.Now.zonedDateTimeISO('UTC').add({ seconds: recordedWithinSeconds });
  const purchaseTime = dueAt.subtract({ months: 1 }).epochMilliseconds;
  const before = taken.size;
  await recordPurchases(server, due, name, renewals, () => ({ productId: 'monthly', purchaseTime }));
  const leadMs = dueAt.epochMilliseconds - Temporal.Now.instant().epochMilliseconds;
  if (leadMs < 0) throw new Error(`${renewals} subscriptions were not recorded before they were due`);
  await pause(leadMs);
  const begun = performance.now();
  const read = concurrently?.();
  const what = `${renewals} renewals`;
  await waitFor(() => taken.size === before + renewals, { deadlineMs: renewedWithinMs, what });
  const perSecond = (renewals * 1_000) / (performance.now() - begun);
  await read;
  return perSecond;
}

async function main(): Promise<void> {
  await using gateway = await startGateway();
  await using bench = await startBench();
  const server = await bench.startServer(gateway.settings);
  await bench.startServer(gateway.settings);
  const created = await createApps(server, appNames(apps), withSubscriptions);
  await recordPurchases(server, created, 'read', readable);
  const readP99Ms = async () => {
    const { p99Ms } = await runLoad({
      url: server.publicUrl,
      connections: 8,
      extent: { seconds: readSeconds, perSecond: readsPerSecond },
      requestsOf: (connection) => readRequests(created, 'read', readable, connection),
    });
    return p99Ms;
  };
  await readP99Ms();
  const run = { server, taken: gateway.taken };
  // The first run warms up the servers.
  await renew(run, created, 'warm');
  report(`renewals of ${apps} apps per second`, await renew(run, created, 'many'), {
    least: targets.perSecond,
  });
  report('renewals of one app per second', await renew(run, created.slice(0, 1), 'one'), {
    least: targets.perSecond,
  });
  const alone = await readP99Ms();
  let concurrently = Number.NaN;
  await renew(run, created, 'concurrently', async () => {
    concurrently = await readP99Ms();
  });
  report(`p99 of ${readsPerSecond} reads per second, ms`, alone);
  report('  during renewals, ms', concurrently);
  report('  times as long', concurrently / alone, { most: targets.slowdown });
  await waitFor(
    async () => (await auditSubscriptions(bench.postgres.connection, gateway.taken, Date.now())).open === 0,
    {
      deadlineMs: renewedWithinMs,
      what: 'the last renewal',
    },
  );
  const { problems } = await auditSubscriptions(bench.postgres.connection, gateway.taken, Date.now());
  if (problems.length > 0) throw new Error(`${problems.length} problems: ${problems.slice(0, 5).join('; ')}`);
}

await main();
