// npm run bench:webhooks: deliveries per second to a receiver in this process, for one app and for many, and the delay
// of deliveries while the receivers of other apps do not respond.

import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { type App, appNames, createApps, operate, recordPurchases } from './apps.ts';
import { quantile, report } from './report.ts';
import { type BenchServer, startBench } from './servers.ts';

const apps = 50;
const deliveries = 19_200;
const deadEvents = 19_200;
const otherApps = 20;
const beats = 60;
const beatMs = 250;
const targets = { perSecond: 1_000, delayMs: 1_000 } as const;

/** The lowest port above 443 that a webhook may use; nothing listens there. */
const refusingUrl = 'http://127.0.0.1:1024/';

/** Records when each purchase was first delivered. */
async function startReceiver() {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const purchaseId = /"purchaseId":"([^"]+)"/.exec(body)?.[1] ?? '';
      if (!arrivals.has(purchaseId)) arrivals.set(purchaseId, performance.now());
      response.writeHead(204).end();
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/`, arrivals, [Symbol.asyncDispose]: close };
}

async function createHookedApps(
  server: BenchServer,
  names: readonly string[],
  url: string,
): Promise<readonly App[]> {
  const created = await createApps(server, names);
  for (const { packageName } of created)
    await operate(server, 'PUT', `/apps/${packageName}/webhook`, { url });
  return created;
}

async function main(): Promise<void> {
  await using receiver = await startReceiver();
  const silent = createTcpServer((socket) => void socket.resume().on('error', () => undefined));
  await using silentListener = await listenOnLoopback(silent);
  await using bench = await startBench();
  const server = await bench.startServer({
    OPENTILL_ENVIRONMENT: 'sandbox',
    OPENTILL_WEBHOOK_ALLOW: 'loopback',
  });
  const { arrivals } = receiver;
  const delivered = (count: number) => waitFor(() => arrivals.size >= count, { what: `${count} deliveries` });

  const speed = async (hooked: readonly App[], name: string): Promise<number> => {
    const expected = arrivals.size + deliveries;
    const begun = performance.now();
    await recordPurchases(server, hooked, name, deliveries);
    await delivered(expected);
    return (deliveries * 1_000) / (performance.now() - begun);
  };
  const [one, many] = [appNames(1, 'com.bench.one'), appNames(apps, 'com.bench.many')];
  const ofOne = await speed(await createHookedApps(server, one, receiver.url), 'one');
  report('deliveries of one app per second, while recording', ofOne, { least: targets.perSecond });
  const ofMany = await speed(await createHookedApps(server, many, receiver.url), 'many');
  report(`deliveries of ${apps} apps per second, while recording`, ofMany, { least: targets.perSecond });

  const silentUrl = `http://127.0.0.1:${silentListener.port}/`;
  const dead = [
    ...(await createHookedApps(server, ['com.bench.silent'], silentUrl)),
    ...(await createHookedApps(server, ['com.bench.gone'], refusingUrl)),
  ];
  await recordPurchases(server, dead, 'dead', deadEvents);
  const others = await createHookedApps(server, appNames(otherApps, 'com.bench.other'), receiver.url);
  const recorded = new Map<string, number>();
  for (let beat = 0; beat < beats; beat += 1) {
    await Promise.all(
      others.map(async ({ packageName }, app) => {
        const purchaseId = `beat-${beat}-${app}`;
        await operate(server, 'POST', `/apps/${packageName}/purchases`, { productId: 'coins', purchaseId });
        recorded.set(purchaseId, performance.now());
      }),
    );
    await pause(beatMs);
  }
  await waitFor(() => [...recorded.keys()].every((purchaseId) => arrivals.has(purchaseId)), {
    what: 'the deliveries of the other apps',
  });
  const delays = [...recorded].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? Number.NaN) - at));
  report(`delay of ${otherApps} apps next to two dead receivers, p50, ms`, quantile(delays, 0.5));
  report('  p99, ms', quantile(delays, 0.99), { most: targets.delayMs });
}

await main();
