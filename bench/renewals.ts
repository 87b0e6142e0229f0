// npm run bench:renewals: a production server renews subscriptions that fall due at one instant, of one app, of many, and
// next to an app whose gateway hangs, while the latency of reads at a steady rate is measured. A gateway in this process
// approves each charge after 100 ms.

import { setTimeout as pause } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { auditSubscriptions } from '../packages/server/test/renewals/subscription-audit.ts';
import { waitFor } from '../packages/server/test/wait-for.ts';
import { type App, appNames, createApps, readRequests, recordPurchases, withSubscriptions } from './apps.ts';
import { startGateway } from './gateway.ts';
import { runLoad } from './load.ts';
import { report } from './report.ts';
import { type BenchServer, startBench } from './servers.ts';

const apps = 20;
const hanging = 'com.bench.hanging';
const answerMs = 100;
const readable = 6_400;
const renewals = 4_800;
const unansweredOfApp = 640;
const readsPerSecond = 300;
const readSeconds = 5;
/** The subscriptions are recorded before they are due. */
const recordedWithinSeconds = 45;
const targets = { ofMany: 1_200, ofOne: 350, nextToHanging: 0.9, slowdown: 2 } as const;

interface Run {
  readonly server: BenchServer;
  readonly taken: ReadonlyMap<string, number>;
}

interface Alongside {
  /** Starts together with the renewals. */
  readonly concurrently?: () => Promise<void>;
  /** Apps with subscriptions that are due at the same instant and not counted. */
  readonly unanswered?: readonly App[];
}

/** Returns the renewals per second. */
async function renew(
  { server, taken }: Run,
  due: readonly App[],
  name: string,
  { concurrently, unanswered = [] }: Alongside = {},
) {
  const dueAt = Temporal.Now.zonedDateTimeISO('UTC').add({ seconds: recordedWithinSeconds });
  const purchaseTime = dueAt.subtract({ months: 1 }).epochMilliseconds;
  const before = taken.size;
  const fieldsOf = () => ({ productId: 'monthly', purchaseTime });
  await recordPurchases(server, due, name, renewals, fieldsOf);
  for (const app of unanswered) await recordPurchases(server, [app], name, unansweredOfApp, fieldsOf);
  const leadMs = dueAt.epochMilliseconds - Temporal.Now.instant().epochMilliseconds;
  if (leadMs < 0) throw new Error(`${renewals} subscriptions were not recorded before they were due`);
  await pause(leadMs);
  const read = concurrently?.();
  await waitFor(() => taken.size > before, { what: 'the first renewal' });
  const begun = performance.now();
  const what = `${renewals} renewals`;
  await waitFor(() => taken.size === before + renewals, { what });
  const perSecond = (renewals * 1_000) / (performance.now() - begun);
  await read;
  return perSecond;
}

async function main(): Promise<void> {
  await using gateway = await startGateway({ answerMs, hanging });
  await using bench = await startBench();
  const server = await bench.startServer(gateway.settings);
  const created = await createApps(server, appNames(apps), withSubscriptions);
  const unanswered = await createApps(server, [hanging], withSubscriptions);
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
  const readAudit = () => auditSubscriptions(bench.postgres.connection, gateway.taken, Date.now());
  // The first run warms up the server.
  await renew(run, created, 'warm');
  report(`renewals of ${apps} apps per second`, await renew(run, created, 'many'), { least: targets.ofMany });
  report('renewals of one app per second', await renew(run, created.slice(0, 1), 'one'), {
    least: targets.ofOne,
  });
  const ten = created.slice(0, 10);
  const without = await renew(run, ten, 'ten');
  const nextToHanging = await renew(run, ten, 'next', { unanswered });
  report('renewals of ten apps next to one that hangs, of those without it', nextToHanging / without, {
    least: targets.nextToHanging,
  });
  const alone = await readP99Ms();
  let concurrently = Number.NaN;
  await renew(run, created, 'concurrently', {
    concurrently: async () => {
      concurrently = await readP99Ms();
    },
  });
  report(`p99 of ${readsPerSecond} reads per second, ms`, alone);
  report('  during renewals, ms', concurrently);
  report('  times as long', concurrently / alone, { most: targets.slowdown });
  const paidTwice = [...gateway.taken.values()].filter((times) => times > 1);
  if (paidTwice.length > 0) throw new Error(`${paidTwice.length} months were paid twice`);
  await waitFor(async () => (await readAudit()).renewals === gateway.taken.size, {
    what: 'the last renewal',
  });
  const { problems } = await readAudit();
  if (problems.length > 0) throw new Error(`${problems.length} problems: ${problems.slice(0, 5).join('; ')}`);
}

await main();
