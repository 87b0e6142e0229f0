// npm run bench:soak -- [minutes]: a sandbox, which sends webhooks, and a production server, which sends charges, do
// everything at once at a constant rate for an hour, and keep at the end what they kept after a fifth of the time.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { appNames, createApps, operate, withSubscriptions } from './apps.ts';
import { report } from './report.ts';
import { serverSettings, startBench, startServer } from './servers.ts';
import { load, type Store } from './soak-load.ts';
import type { ProcessState } from './watched-server.ts';

const apps = 8;
const parts = 5;
const secondsPerMinute = 60;
/** A busy machine that falls behind skips work, so that each call is sent in time. */
const runningMax = 32;
/** Before a state is read, the last renewals fall due and are charged, and unused connections are closed. */
const settleMs = 30_000;
const growthMax = { heapMb: 3, handles: 10, files: 10, connections: 10 } as const;
/** Every nth request to the receiver fails: a delivery, or a charge. */
const failingEvery = 7;
/** Nothing listens there. */
const refusingUrl = 'http://127.0.0.1:1024/';

/** A receiver of webhooks and a payment gateway. */
async function startReceiver() {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const isFailing = requests % failingEvery === 0;
    request.resume().on('end', () => {
      response.writeHead(isFailing ? 503 : 200, { 'content-type': 'application/json' });
      response.end(isFailing ? '' : '{"outcome":"paid"}');
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests, [Symbol.asyncDispose]: close };
}

/** Puts the load on a store for a part of the time, and ends when all of it has ended. */
async function runPart(store: Store, part: number, seconds: number): Promise<void> {
  const begun = performance.now();
  let running = 0;
  const works = Object.values(load).flatMap(({ perSecond, work }) => {
    const count = Math.ceil(perSecond * seconds);
    return Array.from({ length: count }, async (_, n) => {
      await pause(Math.max(0, begun + (n * 1_000) / perSecond - performance.now()));
      if (running >= runningMax) {
        store.counts.skipped += 1;
        return;
      }
      running += 1;
      await work(store, part * count + n).finally(() => {
        running -= 1;
      });
    });
  });
  const failures = (await Promise.allSettled(works)).filter((result) => result.status === 'rejected');
  if (failures.length > 0) throw new Error(`${failures.length} failures`, { cause: failures[0]?.reason });
  await pause(settleMs);
}

async function startStore(environment: Store['environment'], stores: AsyncDisposableStack): Promise<Store> {
  const receiver = stores.use(await startReceiver());
  const bench = stores.use(await startBench());
  const settings = {
    sandbox: { OPENTILL_ENVIRONMENT: 'sandbox', OPENTILL_WEBHOOK_ALLOW: 'loopback' },
    production: {
      OPENTILL_PAYMENT_GATEWAY_URL: receiver.url,
      OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    },
  };
  const server = stores.use(
    await startServer({
      program: fileURLToPath(new URL('watched-server.ts', import.meta.url)),
      isWatched: true,
      env: { ...serverSettings, DATABASE_URL: bench.databaseUrl, ...settings[environment] },
      logFile: join(bench.folder, 'server.log'),
    }),
  );
  const created = await createApps(server, appNames(apps, 'com.bench.soak'), withSubscriptions);
  if (environment === 'sandbox') {
    for (const [index, { packageName }] of created.entries()) {
      const url = index === 0 ? refusingUrl : receiver.url;
      await operate(server, 'PUT', `/apps/${packageName}/webhook`, { url });
    }
  }
  const [quietApp] = await createApps(server, ['com.bench.quiet']);
  if (quietApp === undefined) throw new Error('expected an app, got none');
  const counts = { calls: 0, busy: 0, skipped: 0 };
  return { environment, bench, server, apps: created, quietApp, counts, received: receiver.requests };
}

async function readState({ server: { child } }: Store): Promise<ProcessState> {
  child.send('state');
  const [state] = await once(child, 'message');
  return state as ProcessState;
}

async function soak(store: Store, seconds: number): Promise<void> {
  const states: ProcessState[] = [];
  for (let part = 0; part < parts; part += 1) {
    await runPart(store, part, seconds / parts);
    const state = await readState(store);
    states.push(state);
    console.log(`  ${store.environment}, ${store.counts.calls} calls: ${JSON.stringify(state)}`);
  }
  const [first, last] = [states[0], states.at(-1)];
  if (first === undefined || last === undefined) return;
  report(`calls to the ${store.environment}`, store.counts.calls);
  report('  responses 503', store.counts.busy);
  report('  work skipped', store.counts.skipped);
  report('  calls from it', store.received(), { least: 1 });
  for (const name of ['heapMb', 'handles', 'files', 'connections'] as const) {
    report(`  ${name} after a fifth of the time`, first[name]);
    report('    growth', last[name] - first[name], { least: -Infinity, most: growthMax[name] });
  }
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const seconds = Number(positionals[0] ?? secondsPerMinute) * secondsPerMinute;
  await using stores = new AsyncDisposableStack();
  const started = [await startStore('sandbox', stores), await startStore('production', stores)];
  await Promise.all(started.map((store) => soak(store, seconds)));
}

await main();
