// npm run bench: the server against two references and the database alone, in turn, in the same run. A speed is
// told as a ratio; each number is the median of several rounds.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/runtime/clock.ts';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import {
  addReferenceTokens,
  countConsumed,
  fillLedger,
  type Ledger,
  purchaseCount,
  resetConsumption,
  startLedger,
} from './bench-ledger.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { consumeBaseline } from './consume-baseline.ts';
import { runRaces } from './consume-races.ts';
import { type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { type Client, callOf, createClients, readRequests, tokenRequests } from './purchase-calls.ts';
import { type Line, printReport } from './report.ts';

const rounds = 5;
const connections = 64;
const seconds = 4;
const warmUpSeconds = 2;
const consumedPerRound = 60_000;
const requestsPerConnection = 1_000;
const memoryMibMax = 200;

const adminKey = 'bench-admin-key-0123456789';
const script = (path: string) => new URL(path, import.meta.url).pathname;

/** No two connections consume the same purchase, and none does so twice. */
function consumeRequests(connection: number, clients: readonly Client[]): LoadRequest[] {
  const share = Math.floor(purchaseCount / connections);
  return Array.from({ length: share }, (_, index) =>
    callOf(index * connections + connection + 1, 'consume', clients),
  );
}

interface Subjects {
  readonly ledger: Ledger;
  readonly openTill: ChildServer;
  readonly bare: ChildServer;
  readonly express: ChildServer;
  readonly clients: readonly Client[];
}

async function consumeRound({ ledger, openTill, clients }: Subjects): Promise<LoadResult> {
  await resetConsumption(ledger);
  const result = await runLoad({
    url: openTill.url,
    connections,
    extent: { requests: consumedPerRound },
    requestsOf: (connection) => consumeRequests(connection, clients),
  });
  const counted = await countConsumed(ledger);
  if (counted.purchases !== consumedPerRound || counted.events !== consumedPerRound) {
    throw new Error(`${consumedPerRound} were acknowledged, the database has ${JSON.stringify(counted)}.`);
  }
  return result;
}

async function runRounds(subjects: Subjects): Promise<Line[]> {
  const { ledger, openTill, bare, express, clients } = subjects;
  const baseline = await consumeBaseline(ledger);
  const read = (server: ChildServer, time = seconds) =>
    runLoad({
      url: server.url,
      connections,
      extent: { seconds: time },
      requestsOf: (connection) => readRequests(connection, requestsPerConnection, clients),
    });
  const token = (server: ChildServer) =>
    runLoad({ url: server.url, connections, extent: { seconds }, requestsOf: () => tokenRequests(clients) });
  for (const server of [bare, openTill, express]) await read(server, warmUpSeconds);
  const results = {
    bare: [],
    read: [],
    express: [],
    bareToken: [],
    token: [],
    consume: [],
    baseline: [],
  } as {
    [Name in 'bare' | 'read' | 'express' | 'bareToken' | 'token' | 'consume']: LoadResult[];
  } & { baseline: number[] };
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    results.bare.push(await read(bare));
    results.read.push(await read(openTill));
    results.express.push(await read(express));
    results.bareToken.push(await token(bare));
    results.token.push(await token(openTill));
    await resetConsumption(ledger);
    results.baseline.push(await baseline.run(seconds));
    results.consume.push(await consumeRound(subjects));
  }
  const alone = results.baseline.map((perSecond) => ({ perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN }));
  return [
    { name: 'getPurchaseDetails', results: results.read },
    { name: '  bare Fastify', results: results.bare, bar: 0.5, of: results.read },
    { name: '  Express, two queries', results: results.express, bar: 5, of: results.read },
    { name: 'getAccessToken, reusable', results: results.token },
    { name: '  bare Fastify', results: results.bareToken, bar: 0.4, of: results.token },
    { name: 'consumePurchase', results: results.consume },
    { name: `  ${baseline.name}`, results: alone, bar: baseline.bar, of: results.consume },
  ];
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  const env = { PATH: process.env['PATH'], DATABASE_URL: ledger.databaseUrl };
  const openTill = stack.use(
    await startChild(script('../bin/opentill.cjs'), {
      readyWords: 'documentation',
      urlWords: 'purchase API',
      env: {
        ...env,
        OPENTILL_ENVIRONMENT: 'production',
        OPENTILL_PORT: '0',
        OPENTILL_OPERATOR_PORT: '0',
        OPENTILL_OPERATOR_KEY: adminKey,
        OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
      },
      logFile: join(folder, 'opentill.log'),
    }),
  );
  const operatorUrl = openTill.announced.match(/operator API\s+(http:\/\/[^\s/]+)/)?.[1] ?? '';
  const clients = await createClients({ operatorUrl, publicUrl: openTill.url }, adminKey);
  const now = systemClock.now();
  await fillLedger(ledger, now - purchaseCount);
  await addReferenceTokens(
    ledger,
    clients.map(({ token }) => token),
    now,
  );
  const express = stack.use(
    await startChild(script('./reference-express.ts'), {
      readyWords: 'Express',
      urlWords: 'Express',
      env,
      logFile: join(folder, 'e.log'),
    }),
  );
  const bare = stack.use(
    await startChild(script('./reference-fastify.ts'), {
      readyWords: 'bare Fastify',
      urlWords: 'bare Fastify',
      env,
      logFile: join(folder, 'f.log'),
    }),
  );
  const lines = await runRounds({ ledger, openTill, bare, express, clients });
  await resetConsumption(ledger);
  const races = await runRaces({
    url: openTill.url,
    rounds: 1_000,
    callers: 100,
    requestOf: (round) => callOf(round + 1, 'consume', clients),
  });
  printReport(lines, races, { peakMib: await openTill.peakMemoryMib(), maxMib: memoryMibMax });
}

await main();
