// npm run bench:webhooks: deliveries a second to a receiver on loopback, of one app and of many; and the delay from
// event to delivery of apps whose receivers answer, beside two whose receivers are dead. Database, server and
// receiver share the machine.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { systemClock } from '../src/runtime/clock.ts';
import { pause } from '../src/runtime/pause.ts';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { startLedger } from './bench-ledger.ts';
import { startChild } from './child-server.ts';
import { verdict } from './report.ts';
import { addHookedApps, addPurchases, countDelivered } from './webhook-ledger.ts';
import {
  type CountingReceiver,
  keyOf,
  startCountingReceiver,
  startSilentReceiver,
} from './webhook-receiver.ts';

const deliveriesPerSecondMin = 1_000;
const delayMsMax = 1_000;

const speedEvents = 20_000;
const manyApps = 50;

const deadEvents = 50_000;
const otherApps = 20;
const beatMs = 250;
const beats = 80;

const pollMs = 20;
const patienceMs = 60_000;
const msPerSecond = 1_000;

/** Nobody listens there: a port below this needs root, and is no receiver's. */
const refusingUrl = 'http://127.0.0.1:1024/';

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not within ${patienceMs} ms: ${what}.`);
    await pause(pollMs);
  }
}

/** From the moment the events are there until the last one is written down as delivered. */
async function measureSpeed(
  client: Client,
  receiver: CountingReceiver,
  { name, appCount, appNumber }: { name: string; appCount: number; appNumber: number },
): Promise<void> {
  const apps = { prefix: `com.bench.${name}`, count: appCount, url: receiver.url, appNumber };
  const names = await addHookedApps(client, apps);
  await addPurchases(client, names, { first: 1, count: speedEvents / appCount, now: systemClock.now() });
  const begun = performance.now();
  await until(async () => (await countDelivered(client, names)) === speedEvents, 'all events are delivered');
  const perSecond = Math.round((speedEvents * msPerSecond) / (performance.now() - begun));
  process.stdout.write(
    `${speedEvents} deliveries of ${appCount} app(s): ${perSecond} a second, bar ${deliveriesPerSecondMin}  ${verdict(perSecond >= deliveriesPerSecondMin)}\n`,
  );
}

/** Each of the other apps has an event with every beat. */
async function measureDelay(client: Client, receiver: CountingReceiver): Promise<void> {
  await using silent = await startSilentReceiver();
  const dead = [
    ...(await addHookedApps(client, {
      prefix: 'com.bench.silent',
      count: 1,
      url: silent.url,
      appNumber: 5_000,
    })),
    ...(await addHookedApps(client, {
      prefix: 'com.bench.gone',
      count: 1,
      url: refusingUrl,
      appNumber: 5_100,
    })),
  ];
  await addPurchases(client, dead, { first: 1, count: deadEvents, now: systemClock.now() });
  const others = await addHookedApps(client, {
    prefix: 'com.bench.other',
    count: otherApps,
    url: receiver.url,
    appNumber: 6_000,
  });
  const written = new Map<string, number>();
  for (let beat = 1; beat <= beats; beat += 1) {
    await addPurchases(client, others, { first: beat, count: 1, now: systemClock.now() });
    for (const name of others) written.set(keyOf(name, beat), performance.now());
    await pause(beatMs);
  }
  await until(
    () => [...written.keys()].every((key) => receiver.arrivals.has(key)),
    'all others are delivered',
  );
  const delays = [...written].map(([key, at]) =>
    Math.max(0, (receiver.arrivals.get(key) ?? Number.NaN) - at),
  );
  const sorted = delays.toSorted((left, right) => left - right);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
  process.stdout.write(
    `beside two dead receivers with ${deadEvents} events each, ${delays.length} events of ${otherApps} apps: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, bar ${delayMsMax}  ${verdict(at(0.99) < delayMsMax)}\n`,
  );
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  const receiver = stack.use(await startCountingReceiver());
  const server = stack.use(
    await startChild(new URL('../bin/opentill.cjs', import.meta.url).pathname, {
      readyWords: 'documentation',
      urlWords: 'purchase API',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: ledger.databaseUrl,
        OPENTILL_PORT: '0',
        OPENTILL_OPERATOR_PORT: '0',
        OPENTILL_OPERATOR_KEY: 'bench-admin-key-0123456789',
        OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
      },
      logFile: join(folder, 'opentill.log'),
    }),
  );
  const { client } = ledger;
  await measureSpeed(client, receiver, { name: 'one', appCount: 1, appNumber: 1_000 });
  await measureSpeed(client, receiver, { name: 'many', appCount: manyApps, appNumber: 2_000 });
  await measureDelay(client, receiver);
  const peakMib = await server.peakMemoryMib();
  if (peakMib !== undefined) process.stdout.write(`largest resident memory of the server: ${peakMib} MiB\n`);
}

await main();
