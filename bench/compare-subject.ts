// Measures one commit: starts its production server with 20 apps in a separate process. Uses only its HTTP API, the path
// of its program, and the lines that it prints when it has started.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { waitFor } from '../test/support/wait-for.ts';
import {
  type App,
  appNames,
  connections,
  createApps,
  eachOnce,
  operate,
  purchaseCall,
  readRequests,
  recordPurchases,
  tokenRequests,
  withSubscriptions,
} from './apps.ts';
import { startGateway } from './gateway.ts';
import { type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { type BenchServer, serverSettings, startServer } from './servers.ts';

const appCount = 20;
const seconds = 3;
const readable = 5_120;
const voided = 128;
const consumedPerRound = 12_800;
const recordedByOne = 640;
const renewedPerRound = 3_200;
const readsDuringRenewals = 300;
/** The subscriptions are recorded before they are due. */
const recordedWithinSeconds = 20;

export interface Subject extends AsyncDisposable {
  readonly firstStartSeconds: number;
  readonly laterStartSeconds: number;
  /** Runs one round of every measure: calls per second, or the time in the unit that the name says. */
  measure(): Promise<Readonly<Record<string, number>>>;
  peakMemoryMib(): Promise<number | undefined>;
}

/** Starts the server of a checkout twice, to measure both starts, and creates the test data. */
export async function startSubject(checkout: string): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const gateway = stack.use(await startGateway());
  const env = { ...serverSettings, ...gateway.settings, OPENTILL_DATA_DIR: join(folder, 'data') };
  const start = async (): Promise<{ server: BenchServer; seconds: number }> => {
    const begun = performance.now();
    const server = await startServer({ checkout, env, logFile: join(folder, 'server.log') });
    return { server, seconds: (performance.now() - begun) / 1_000 };
  };
  const first = await start();
  await first.server[Symbol.asyncDispose]();
  const later = await start();
  const server = stack.use(later.server);
  const apps = await createApps(server, appNames(appCount), withSubscriptions);
  await recordPurchases(server, apps, 'read', readable);
  await recordPurchases(server, apps, 'voided', voided);
  for (let n = 0; n < voided; n += 1) {
    await operate(server, 'POST', `/apps/${apps[n % appCount]?.packageName}/purchases/voided-${n}/void`, {});
  }
  let rounds = 0;
  const running = stack.move();
  return {
    firstStartSeconds: first.seconds,
    laterStartSeconds: later.seconds,
    measure: () => {
      rounds += 1;
      return measure(server, apps, { round: rounds, taken: gateway.taken });
    },
    peakMemoryMib: () => server.peakMemoryMib(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Round {
  readonly round: number;
  readonly taken: ReadonlyMap<string, number>;
}

/** The rate of a load, and the processor time that the server spent on each of its calls. */
async function measureLoad(server: BenchServer, name: string, load: () => Promise<LoadResult>) {
  const before = await server.processorMs();
  const { count, perSecond } = await load();
  const spentMs = (await server.processorMs()) - before;
  return { [name]: perSecond, [`${name}, us of the server's processor`]: (spentMs * 1_000) / count };
}

async function measure(server: BenchServer, apps: readonly App[], { round, taken }: Round) {
  const url = server.publicUrl;
  const reads = (connection: number) => readRequests(apps, 'read', readable, connection);
  const timed = (name: string, requestsOf: (connection: number) => readonly LoadRequest[]) =>
    measureLoad(server, name, () => runLoad({ url, connections, extent: { seconds }, requestsOf }));
  const voidedLists = apps.map(({ packageName, token }) => ({
    method: 'GET' as const,
    path: `/v2/purchase/voided-purchases/${packageName}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  }));
  const calls = {
    ...(await timed('getPurchaseDetails', reads)),
    ...(await timed('getAccessToken', () => tokenRequests(apps))),
    ...(await timed('getVoidedPurchases', () => voidedLists)),
  };
  const name = `round${round}`;
  const order = (n: number) => ({ productId: 'coins', orderId: `${name}-${n}` });
  const changes = {
    ...(await measureLoad(server, 'recordPurchase', () =>
      recordPurchases(server, apps, name, consumedPerRound, order),
    )),
    ...(await measureLoad(server, 'recordPurchase, one caller', () =>
      recordPurchases(server, apps, `${name}-one`, recordedByOne, undefined, 1),
    )),
    ...(await measureLoad(server, 'consumePurchase', () =>
      eachOnce(url, consumedPerRound, (n) => purchaseCall('consume', apps, name, n)),
    )),
  };
  // Subscriptions that all fall due at the same instant are renewed while purchases are read at a steady rate.
  const due = Temporal.Now.zonedDateTimeISO('UTC').add({ seconds: recordedWithinSeconds });
  const purchaseTime = due.subtract({ weeks: 1 }).epochMilliseconds;
  const subscription = () => ({ productId: 'weekly', purchaseTime });
  const before = taken.size;
  await recordPurchases(server, apps, `weekly${round}`, renewedPerRound, subscription);
  await pause(Math.max(0, due.epochMilliseconds - Temporal.Now.instant().epochMilliseconds));
  const begun = performance.now();
  const extent = { seconds: 4, perSecond: readsDuringRenewals };
  const concurrently = runLoad({ url, connections: 8, extent, requestsOf: reads });
  await waitFor(() => taken.size >= before + renewedPerRound, {
    what: `${renewedPerRound} renewals`,
  });
  const renewals = (renewedPerRound * 1_000) / (performance.now() - begun);
  const { p99Ms } = await concurrently;
  return { ...calls, ...changes, renewals, 'reads during renewals, p99 ms': p99Ms };
}
