// npm run bench:size -- [scale] [folder]: fills a store with 10 million purchases times the scale, and times every list, report,
// change and command on it, with the plans of all statements. With a folder, the store is kept there for the next run.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Pool } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../packages/server/src/embedded/start-embedded-postgres.ts';
import { migrate } from '../packages/server/src/store/schema/migrate.ts';
import { databaseUrlOf } from '../test/support/database-url.ts';
import { removeDataFolder } from '../test/support/embedded/scratch.ts';
import { operate } from './apps.ts';
import { runCommand } from './command-line.ts';
import { startGateway } from './gateway.ts';
import { median, report } from './report.ts';
import { adminKey, type BenchServer, serverSettings, startServer } from './servers.ts';
import { type SizedCall, sizedCalls } from './size-calls.ts';
import { fillStore, indexesOf, largestApp } from './size-fill.ts';
import { logPlans, type RunStatement, StatementLog } from './size-plans.ts';
import { printSizes } from './size-tables.ts';

/** Each call is made so many times; the median counts. */
const rounds = 3;
const jobsMs = 30_000;
const limits = {
  fillMinutes: 15,
  statementMs: 250,
  jobStatementMs: 1_500,
  startSeconds: 5,
  doctorSeconds: 3,
  mib: 250,
} as const;

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [scale = '1', kept] = positionals;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-size-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = kept ?? join(folder, 'data');
  if (kept === undefined) stack.defer(() => removeDataFolder(dataFolder));
  await prepare(dataFolder, Number(scale));
  const postgres = await startEmbeddedPostgres({ dataFolder, isDurable: false });
  stack.defer(() => postgres.stop());
  await printSizes(postgres.connection);
  await using gateway = await startGateway();
  const env = { ...serverSettings, ...gateway.settings, DATABASE_URL: databaseUrlOf(postgres.connection) };
  const log = new StatementLog(postgres.connection);
  const begun = performance.now();
  await using server = await startServer({
    env: { ...env, OPENTILL_JOBS: 'off' },
    logFile: join(folder, 'server.log'),
  });
  report('seconds of a start', (performance.now() - begun) / 1_000, { most: limits.startSeconds });
  judge('a start', await log.next());
  await timeCalls(server, log);
  const { seconds } = await runCommand(['doctor'], env.DATABASE_URL, env);
  report('seconds of doctor', seconds, { most: limits.doctorSeconds });
  judge('doctor', await log.next());
  await timeJobs(env, folder, log);
  await timeFiles(server, env.DATABASE_URL, folder);
}

/** Fills the store, unless it is filled already. */
async function prepare(dataFolder: string, scale: number): Promise<void> {
  const begun = performance.now();
  const postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataFolder, isDurable: false });
  await migrate(postgres.connection);
  const options = '-c maintenance_work_mem=1GB -c work_mem=256MB';
  const pool = new Pool({ ...postgres.connection, options, max: 2 });
  const client = new Client(postgres.connection);
  await client.connect();
  const { rows } = await client.query('select from app limit 1');
  if (rows.length === 0) {
    const run = async (what: string, text: string) => {
      await pool.query(text);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      process.stderr.write(`${String(seconds).padStart(5)} s ${what}\n`);
    };
    await fillStore(run, await indexesOf(client), scale);
    report('minutes to fill the store', (performance.now() - begun) / 60_000, { most: limits.fillMinutes });
  }
  await logPlans(client);
  await client.end();
  await pool.end();
  await postgres.stop();
}

/** The first words of a statement, in one line. */
const nameOf = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);

/** Reports the statements of calls that are slow, or that read a large table. */
function judge(what: string, statements: readonly RunStatement[], most: number = limits.statementMs): void {
  const ofText = Map.groupBy(statements, ({ text }) => text);
  let slowest = 0;
  for (const [text, runs] of ofText) {
    // The first run with these values reads from the disk.
    const ofValues = [...Map.groupBy(runs, ({ parameters }) => parameters).values()];
    const ms = Math.max(...ofValues.map((same) => median(same.map((one) => one.ms))));
    slowest = Math.max(slowest, ms);
    const readWhole = [...new Set(runs.flatMap((one) => one.readWhole))];
    if (ms <= most && readWhole.length === 0) continue;
    process.exitCode = 1;
    process.stdout.write(`  ${ms.toFixed(0)} ms, reads all of [${readWhole.join(', ')}]: ${nameOf(text)}\n`);
  }
  report(`${what}: slowest of ${ofText.size} statements, ms`, slowest, { most });
}

async function timeCalls(server: BenchServer, log: StatementLog): Promise<void> {
  const { clientSecret } = await operate(server, 'POST', `/apps/${largestApp}/client-secret`, {
    force: true,
  });
  const form = {
    grant_type: 'client_credentials',
    client_id: largestApp,
    client_secret: String(clientSecret),
  };
  const issue = { method: 'POST', body: new URLSearchParams(form) };
  const issued = await fetch(`${server.publicUrl}/v2/oauth/token`, issue);
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const send = async ({ listener, method, path, body }: SizedCall) => {
    const isPublic = listener === 'public';
    const headers = {
      authorization: `Bearer ${isPublic ? token : adminKey}`,
      ...((isPublic || body) && { 'content-type': 'application/json' }),
    };
    const url = isPublic ? `${server.publicUrl}${path}` : `${server.operatorUrl}/operator/v1${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (response.status >= 500) process.exitCode = 1;
    if (response.status >= 400) process.stdout.write(`  ${response.status} ${method} ${path} ${text}\n`);
    return (text.startsWith('{') ? JSON.parse(text) : {}) as { nextPageToken?: string };
  };
  await log.next();
  const times: { readonly ms: number; readonly what: string }[] = [];
  for (const call of sizedCalls(Date.now())) {
    const runs: number[] = [];
    // A change is made once: the next one would find it made.
    for (let round = 0; round < (call.method === 'GET' ? rounds : 1); round += 1) {
      const begun = performance.now();
      const { nextPageToken } = await send(call);
      runs.push(performance.now() - begun);
      if (nextPageToken !== undefined && round === 0)
        await send({
          ...call,
          path: `${call.path}${call.path.includes('?') ? '&' : '?'}pageToken=${nextPageToken}`,
        });
    }
    times.push({ ms: median(runs), what: `${call.method} ${call.path}` });
  }
  judge('calls', await log.next());
  const slowest = times.toSorted((left, right) => right.ms - left.ms).slice(0, 10);
  for (const { ms, what } of slowest) process.stdout.write(`  ${ms.toFixed(0)} ms ${what}\n`);
}

/** Files are streamed, however long they are. */
async function timeFiles(server: BenchServer, databaseUrl: string, folder: string): Promise<void> {
  for (const path of [
    `/purchases?packageName=${largestApp}`,
    '/subscriptions',
    `/apps/${largestApp}/events`,
    '/actions',
  ]) {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${adminKey}`, accept: 'text/csv' };
    const { body } = await fetch(`${server.operatorUrl}/operator/v1${path}`, { headers });
    let bytes = 0;
    let firstMs = 0;
    for await (const chunk of body ?? []) {
      firstMs ||= performance.now() - begun;
      bytes += (chunk as Uint8Array).length;
    }
    const seconds = (performance.now() - begun) / 1_000;
    report(`CSV of ${path}, first ms`, firstMs, { most: 1_000 });
    report(`CSV of ${path}, MB per second of ${(bytes / 1e6).toFixed(0)} MB`, bytes / 1e6 / seconds);
  }
  report('largest resident memory of the server, MiB', (await server.peakMemoryMib()) ?? 0, {
    most: limits.mib,
  });
  const exported = await runCommand(['export', '--output', join(folder, 'store.ndjson')], databaseUrl);
  report('seconds of an export', exported.seconds);
  report('largest resident memory of an export, MiB', exported.peakMib, { most: limits.mib });
}

/** The jobs poll the store for half a minute, with a third of the events older than the retention time. */
async function timeJobs(
  env: Readonly<Record<string, string>>,
  folder: string,
  log: StatementLog,
): Promise<void> {
  const before = await countEvents(env['DATABASE_URL']);
  await log.next();
  {
    const settings = { ...env, OPENTILL_RETENTION_DAYS: '60' };
    await using _ = await startServer({ env: settings, logFile: join(folder, 'jobs.log') });
    await pause(jobsMs);
  }
  judge('jobs', await log.next(), limits.jobStatementMs);
  const removed = before - (await countEvents(env['DATABASE_URL']));
  report('events that retention removed per second', (removed / jobsMs) * 1_000);
}

async function countEvents(connectionString: string | undefined): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('select count(*)::integer as count from event');
  await client.end();
  return rows[0].count;
}

await main();
