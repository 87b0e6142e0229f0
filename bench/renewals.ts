// npm run bench:renewals: a production server renews subscriptions that fall due at one instant. Each row is a measure that
// also runs alone (`npm run bench:renewals -- unanswered`), in alternating rounds (`--rounds 5`) whose medians count. A
// gateway in this process approves each charge after 200 ms.

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Temporal } from 'temporal-polyfill';
import { auditSubscriptions } from '../test/support/renewals/subscription-audit.ts';
import { waitFor } from '../test/support/wait-for.ts';
import {
  type App,
  appNames,
  createApps,
  operate,
  readRequests,
  recordPurchases,
  withSubscriptions,
} from './apps.ts';
import { type BenchCharge, startGateway } from './gateway.ts';
import { type LoadResult, runLoad } from './load.ts';
import { median, report } from './report.ts';
import { measureSales } from './sales.ts';
import { startBench } from './servers.ts';

const apps = 20;
const hanging = 'com.bench.hanging';
const answerMs = 200;
const renewals = 6_400;
const unansweredOfApp = 640;
/** Every fiftieth first request, 2% of them, is never answered. */
const unansweredEvery = 50;
/** The slots of an app: with fewer due, they cannot all be used. */
const dueLeast = 64;
const readable = 6_400;
/** More than are renewed during the sales. */
const renewalsDuringSales = { ofOne: 3_200, ofTen: 6_400 } as const;
const readsPerSecond = 300;
const readSeconds = 5;
/** Few at once, so that a busy machine responds to each in time. */
const recordedInParallel = 16;
/** The subscriptions are recorded before they are due. */
const recordedWithin = { seconds: 20, perSecond: 70 } as const;
const targets = {
  ofMany: 350,
  ofOne: 160,
  unanswered: 0.4,
  retriedWithinSeconds: 90,
  nextToHanging: 0.9,
  slowdown: 2,
} as const;

type Gateway = Awaited<ReturnType<typeof startGateway>>;

interface Round {
  readonly gateway: Gateway;
  readonly due: readonly App[];
  /** How many subscriptions are due. */
  readonly count?: number;
  readonly unansweredEvery?: number;
  /** Apps with subscriptions that are due at the same instant and not counted. */
  readonly next?: readonly App[];
  /** Starts together with the renewals. */
  readonly concurrently?: () => Promise<void>;
}

interface Renewed {
  /** Payments per second while at least `dueLeast` are due. */
  readonly perSecond: number;
  /** From the first request to the payment of the charge that took longest, in seconds. */
  readonly slowestSeconds: number;
}

const secondsOf = (ms: number): number => ms / 1_000;

function measure(charges: readonly BenchCharge[]): Renewed {
  const asked = charges.map(({ askedAt }) => askedAt).toSorted((left, right) => left - right);
  const [begun = 0] = asked;
  const ended = asked[asked.length - dueLeast] ?? begun;
  const paid = charges.filter(({ paidAt }) => paidAt <= ended).length;
  const slowestMs = Math.max(...charges.map(({ askedAt, paidAt }) => paidAt - askedAt));
  return { perSecond: paid / secondsOf(ended - begun), slowestSeconds: secondsOf(slowestMs) };
}

/** Rejects when nothing is paid for longer than any charge waits for its retry. */
async function untilPaid({ taken }: Gateway, total: number): Promise<void> {
  for (let paid = taken.size; paid < total; ) {
    const before = paid;
    paid = await waitFor(() => taken.size > before && taken.size, { what: `more than ${before} payments` });
  }
}

async function startStage() {
  const gateway = await startGateway({ answerMs, hanging });
  const bench = await startBench();
  const server = await bench.startServer(gateway.settings);
  const created = await createApps(server, appNames(apps), withSubscriptions);
  let rounds = 0;

  const renew = async ({
    due,
    count = renewals,
    next = [],
    concurrently,
    ...round
  }: Omit<Round, 'gateway'>): Promise<Renewed> => {
    rounds += 1;
    const name = `round${rounds}`;
    gateway.charges.clear();
    const before = gateway.taken.size;
    gateway.unanswered.every = round.unansweredEvery ?? 0;
    const dueAt = Temporal.Now.zonedDateTimeISO('UTC').add({
      seconds: Math.ceil(recordedWithin.seconds + count / recordedWithin.perSecond),
    });
    const purchaseTime = dueAt.subtract({ weeks: 1 }).epochMilliseconds;
    const fieldsOf = () => ({ productId: 'weekly', purchaseTime });
    const leadMs = () => dueAt.epochMilliseconds - Temporal.Now.instant().epochMilliseconds;
    const record = (of: readonly App[], recorded: number) =>
      recordPurchases(server, of, name, recorded, fieldsOf, recordedInParallel);
    await record(due, count);
    for (const app of next) await record([app], unansweredOfApp);
    if (leadMs() < 0) throw new Error(`${count} subscriptions were not recorded before they were due`);
    await pause(leadMs());
    const other = concurrently?.();
    await untilPaid(gateway, before + count);
    await other;
    return measure([...gateway.charges.values()]);
  };
  return { gateway, bench, server, created, renew };
}

type Stage = Awaited<ReturnType<typeof startStage>>;

/** Alternates rounds without and with a disturbance, and reports the median of their ratios. */
async function compare(
  rounds: number,
  { what, least }: { readonly what: string; readonly least: number },
  round: (isDisturbed: boolean) => Promise<Renewed>,
): Promise<void> {
  const without: Renewed[] = [];
  const disturbed: Renewed[] = [];
  for (let count = 0; count < rounds; count += 1) {
    const [one, other] = [await round(false), await round(true)];
    console.log(`  round ${count + 1}: ${one.perSecond.toFixed(0)} and ${other.perSecond.toFixed(0)}`);
    without.push(one);
    disturbed.push(other);
  }
  const speeds = (of: readonly Renewed[]) => of.map(({ perSecond }) => perSecond);
  report(`renewals per second of ${what}: without`, median(speeds(without)));
  report('  with', median(speeds(disturbed)));
  const ratios = speeds(disturbed).map((speed, index) => speed / (speeds(without)[index] ?? 0));
  report('  ratio', median(ratios), { least });
  const slowest = Math.max(...disturbed.map(({ slowestSeconds }) => slowestSeconds));
  report('  longest from a first request to its payment, s', slowest, { most: targets.retriedWithinSeconds });
}

interface SalesKind {
  /** The apps in words. */
  readonly of: string;
  readonly apps: number;
  readonly renewals: number;
}

/** Sales of the first apps, alone and during renewals of the same apps. */
function compareSales({ renew, created, server, gateway }: Stage, kind: SalesKind, rounds: number) {
  const { of, apps, renewals } = kind;
  const sold = created.slice(0, apps);
  const duringRenewals = async (sell: () => Promise<LoadResult>): Promise<LoadResult> => {
    const before = gateway.taken.size;
    let during: LoadResult | undefined;
    let renewed = 0;
    await renew({
      due: sold,
      count: renewals,
      concurrently: async () => {
        during = await sell();
        renewed = gateway.taken.size - before;
      },
    });
    console.log(`  ${renewed} renewals during the sales`);
    if (during === undefined || renewed === renewals)
      throw new Error('expected renewals until the last sale, got none at its end');
    return during;
  };
  return measureSales(server, sold, { of, rounds, duringRenewals });
}

const rows = {
  async speed({ renew, created }: Stage) {
    const many = await renew({ due: created });
    report(`renewals of ${apps} apps per second`, many.perSecond, { least: targets.ofMany });
    const one = await renew({ due: created.slice(0, 1) });
    report('renewals of one app per second', one.perSecond, { least: targets.ofOne });
  },
  unanswered: ({ renew, created }: Stage, rounds: number) =>
    compare(rounds, { what: 'one app, 2% unanswered', least: targets.unanswered }, (isDisturbed) =>
      renew({ due: created.slice(0, 1), unansweredEvery: isDisturbed ? unansweredEvery : 0 }),
    ),
  'unanswered-ten': ({ renew, created }: Stage, rounds: number) =>
    compare(rounds, { what: 'ten apps, 2% unanswered', least: targets.unanswered }, (isDisturbed) =>
      renew({ due: created.slice(0, 10), unansweredEvery: isDisturbed ? unansweredEvery : 0 }),
    ),
  hanging: ({ renew, created, server }: Stage, rounds: number) => {
    let dead = 0;
    return compare(
      rounds,
      { what: 'ten apps next to one that hangs', least: targets.nextToHanging },
      async (isDisturbed) => {
        const due = created.slice(0, 10);
        if (!isDisturbed) return renew({ due });
        dead += 1;
        const packageName = `${hanging}${dead}`;
        const next = await createApps(server, [packageName], withSubscriptions);
        const renewed = await renew({ due, next });
        // Its retries would disturb the next round without it.
        await operate(server, 'PATCH', `/apps/${packageName}`, { disabled: true });
        return renewed;
      },
    );
  },
  sales: (stage: Stage, rounds: number) =>
    compareSales(stage, { of: 'one app', apps: 1, renewals: renewalsDuringSales.ofOne }, rounds),
  'sales-ten': (stage: Stage, rounds: number) =>
    compareSales(stage, { of: 'ten apps', apps: 10, renewals: renewalsDuringSales.ofTen }, rounds),
  async reads({ renew, created, server }: Stage) {
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
    const alone = await readP99Ms();
    let during = Number.NaN;
    await renew({
      due: created,
      concurrently: async () => {
        during = await readP99Ms();
      },
    });
    report(`p99 of ${readsPerSecond} reads per second, ms`, alone);
    report('  during renewals, ms', during);
    report('  times as long', during / alone, { most: targets.slowdown });
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string', default: '5' } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(rows);
  const chosen = names.map((name) => {
    if (!Object.hasOwn(rows, name)) throw new Error(`expected one of ${Object.keys(rows)}, got ${name}`);
    return rows[name as keyof typeof rows];
  });
  const stage = await startStage();
  await using _gateway = stage.gateway;
  await using bench = stage.bench;
  const { taken } = stage.gateway;
  // The first round warms up the server.
  await stage.renew({ due: stage.created, count: renewalsDuringSales.ofOne / 2 });
  for (const row of chosen) await row(stage, Number(values.rounds));
  const paidTwice = [...taken.values()].filter((times) => times > 1);
  if (paidTwice.length > 0) throw new Error(`${paidTwice.length} periods were paid twice`);
  const audit = () => auditSubscriptions(bench.postgres.connection, taken, Date.now());
  await waitFor(async () => (await audit()).renewals === taken.size, { what: 'the last renewal' });
  const { problems } = await audit();
  if (problems.length > 0) throw new Error(`${problems.length} problems: ${problems.slice(0, 5).join('; ')}`);
}

await main();
