// Measures one commit: starts its production server with 20 apps in a separate process. Uses only its HTTP API and the
// path of its program.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { type App, appNames, connections, createApps, operate, withSubscriptions } from './apps.ts';
import { type Load, type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { adminKey, heapFlags, type Listeners } from './servers.ts';

const appCount = 20;
const seconds = 3;
const readablePerApp = 250;
const voidedPerApp = 5;
const consumedPerRound = 12_800;
const renewedPerRound = 3_000;
const readsDuringRenewals = 300;
const secondsUntilDue = 3;
const startWithinMs = 30_000;
const pollMs = 20;
const renewalsWithinMs = 60_000;
const kibPerMib = 1_024;

export interface Subject extends AsyncDisposable {
  readonly firstStartSeconds: number;
  readonly laterStartSeconds: number;
  /** Runs one round of every measure: calls per second, or milliseconds if the name says so. */
  measure(): Promise<Readonly<Record<string, number>>>;
  peakMemoryMib(): number;
}

interface Server {
  readonly child: ChildProcess;
  readonly seconds: number;
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function poll(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`a benchmark condition was not met within ${withinMs} ms`);
    await pause(pollMs);
  }
}

async function startServer(checkout: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const begun = performance.now();
  const program = join(checkout, 'packages/server/bin/opentill.cjs');
  const child = spawn(process.execPath, [...heapFlags, program], {
    env,
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${env['OPENTILL_OPERATOR_PORT']}/health/ready`;
  await poll(
    () =>
      fetch(url).then(
        (response) => response.ok,
        () => false,
      ),
    startWithinMs,
  );
  return { child, seconds: (performance.now() - begun) / 1_000 };
}

async function stopServer({ child }: Server): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** A payment gateway that approves every charge and records its time. */
async function startGateway() {
  const charges: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      charges.push(performance.now());
      response.setHeader('content-type', 'application/json');
      response.end('{"outcome":"paid"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, charges, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Sends each connection's calls; a steady rate needs fewer connections. */
function load(
  url: string,
  extent: Load['extent'],
  requestsOf: (connection: number) => readonly LoadRequest[],
): Promise<LoadResult> {
  return runLoad({ url, connections: 'perSecond' in extent ? 8 : connections, extent, requestsOf });
}

/** Starts the server of a checkout twice, to measure both starts, and creates the test data. */
export async function startSubject(checkout: string): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const gateway = await startGateway();
  stack.defer(() => {
    gateway.server.close();
    gateway.server.closeAllConnections();
  });
  const [publicPort, operatorPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    OPENTILL_ENVIRONMENT: 'production',
    OPENTILL_DATA_DIR: join(dataFolder, 'data'),
    OPENTILL_PORT: `${publicPort}`,
    OPENTILL_OPERATOR_PORT: `${operatorPort}`,
    OPENTILL_OPERATOR_KEY: adminKey,
    OPENTILL_PAYMENT_GATEWAY_URL: gateway.url,
    OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  };
  const first = await startServer(checkout, env);
  await stopServer(first);
  const server = await startServer(checkout, env);
  stack.defer(() => stopServer(server));
  const measures = new Measures(
    { publicUrl: `http://127.0.0.1:${publicPort}`, operatorUrl: `http://127.0.0.1:${operatorPort}` },
    gateway.charges,
  );
  await measures.prepare();
  const running = stack.move();
  return {
    firstStartSeconds: first.seconds,
    laterStartSeconds: server.seconds,
    measure: () => measures.run(),
    peakMemoryMib() {
      const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
      return Math.round(Number(status.match(/VmHWM:\s+(\d+) kB/)?.[1]) / kibPerMib);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

class Measures {
  readonly #listeners: Listeners;
  readonly #charges: number[];
  #apps: readonly App[] = [];
  #recorded = 0;

  constructor(listeners: Listeners, charges: number[]) {
    this.#listeners = listeners;
    this.#charges = charges;
  }

  async prepare(): Promise<void> {
    this.#apps = await createApps(this.#listeners, appNames(appCount), withSubscriptions);
    await this.#record('read', appCount * readablePerApp);
    await this.#record('voided', appCount * voidedPerApp);
    for (let n = 0; n < appCount * voidedPerApp; n += 1) {
      await operate(
        this.#listeners,
        'POST',
        `/apps/${this.#appOf(n).packageName}/purchases/voided-${n}/void`,
        {},
      );
    }
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    const app = (index: number) => this.#apps[index % appCount] as App;
    const authorized = (index: number) => ({
      authorization: `Bearer ${app(index).token}`,
      'content-type': 'application/json',
    });
    const purchaseCall = (kind: 'details' | 'consume', name: string, n: number): LoadRequest => ({
      method: kind === 'details' ? 'GET' : 'POST',
      path: `/v2/purchase/${kind}/${name}-${n}/${app(n).packageName}`,
      headers: authorized(n),
    });
    const reads = (connection: number) =>
      Array.from({ length: 500 }, (_, index) =>
        purchaseCall('details', 'read', (connection * 500 + index * 7) % (appCount * readablePerApp)),
      );
    const timed = (callsOf: (connection: number) => readonly LoadRequest[]) =>
      load(this.#listeners.publicUrl, { seconds }, callsOf).then((result) => result.perSecond);
    const getPurchaseDetails = await timed(reads);
    const getAccessToken = await timed(() =>
      this.#apps.map(({ form }) => ({
        method: 'POST' as const,
        path: '/v2/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form,
      })),
    );
    const getVoidedPurchases = await timed(() =>
      this.#apps.map(({ packageName }, index) => ({
        method: 'GET' as const,
        path: `/v2/purchase/voided-purchases/${packageName}`,
        headers: authorized(index),
      })),
    );
    const name = `consumed${this.#recorded}`;
    await this.#record(name, consumedPerRound);
    const share = consumedPerRound / connections;
    const consumed = await load(this.#listeners.publicUrl, { requests: consumedPerRound }, (connection) =>
      Array.from({ length: share }, (_, index) =>
        purchaseCall('consume', name, index * connections + connection),
      ),
    );
    const recordPurchase = await this.#recordWithOrderId();
    return {
      getPurchaseDetails,
      getAccessToken,
      getVoidedPurchases,
      consumePurchase: consumed.perSecond,
      recordPurchase,
      ...(await this.#renew(reads)),
    };
  }

  /** Renews subscriptions that all fall due at the same instant, while purchases are read at a steady rate. */
  async #renew(reads: (connection: number) => readonly LoadRequest[]) {
    const name = `sub${this.#recorded}`;
    // The subscriptions are recorded before they are due, and their first month ends at the same instant.
    const recordWithin = Temporal.Duration.from({ seconds: 10 });
    const due = Temporal.Now.zonedDateTimeISO('UTC').add(recordWithin).add({ seconds: secondsUntilDue });
    const purchaseTime = due.subtract({ months: 1 }).epochMilliseconds;
    await this.#record(name, renewedPerRound, { productId: 'monthly', purchaseTime });
    this.#charges.length = 0;
    await pause(Math.max(0, due.epochMilliseconds - Temporal.Now.instant().epochMilliseconds));
    const begun = performance.now();
    const concurrently = load(
      this.#listeners.publicUrl,
      { seconds: 4, perSecond: readsDuringRenewals },
      reads,
    );
    await poll(() => this.#charges.length >= renewedPerRound, renewalsWithinMs);
    const renewals = (renewedPerRound * 1_000) / ((this.#charges.at(-1) ?? Number.NaN) - begun);
    return { renewals, 'reads during renewals, p99 ms': (await concurrently).p99Ms };
  }

  async #recordWithOrderId(): Promise<number> {
    const round = this.#recorded;
    this.#recorded += 1;
    const callsOf = (connection: number) =>
      Array.from({ length: 2_000 }, (_, index) =>
        this.#recordCall(index, { productId: 'coins', orderId: `order-${round}-${connection}-${index}` }),
      );
    return (await load(this.#listeners.operatorUrl, { seconds }, callsOf)).perSecond;
  }

  /** Records `count` purchases named `<name>-<n>`, with purchase n in app n modulo the number of apps. */
  async #record(name: string, count: number, fields: object = { productId: 'coins' }): Promise<void> {
    this.#recorded += 1;
    await load(this.#listeners.operatorUrl, { requests: count }, (connection) =>
      Array.from({ length: Math.ceil(count / connections) }, (_, index) => {
        const n = (index * connections + connection) % count;
        return this.#recordCall(n, { ...fields, purchaseId: `${name}-${n}` });
      }),
    );
  }

  #recordCall(n: number, body: object): LoadRequest {
    return {
      method: 'POST',
      path: `/operator/v1/apps/${this.#appOf(n).packageName}/purchases`,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ developerPayload: `payload-${n}`, ...body }),
    };
  }

  #appOf(n: number): App {
    return this.#apps[n % appCount] as App;
  }
}
