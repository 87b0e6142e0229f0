// npm run bench:clock: one call advances an app with 10,000 subscriptions by 12 months. The largest memory is
// that of the server's own process, after all of it.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClockAdvance } from '@opentill/contract/clock-resources.ts';
import { Temporal } from 'temporal-polyfill';
import { systemClock } from '../src/runtime/clock.ts';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { insertBlocks } from '../test/renewals/subscription-block.ts';
import { type Ledger, startLedger } from './bench-ledger.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { verdict } from './report.ts';

const subscriptionCount = 10_000;
const renewalCount = 12 * subscriptionCount;
const secondsMax = 60;
const memoryMibMax = 300;

/** Days over which they begin: fewer than the shortest month has. */
const startDays = 27;
const dayMs = 24 * 60 * 60 * 1000;
const msPerSecond = 1_000;

const adminKey = 'bench-admin-key-0123456789';
const packageName = 'com.bench.clock';

async function operate(server: ChildServer, method: string, path: string, body: object): Promise<unknown> {
  const [, operatorUrl = ''] = /operator API\s+(http:\/\/[^\s/]+)/.exec(server.announced) ?? [];
  const answer = await fetch(`${operatorUrl}/operator/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
}

/** Each began at another instant, within a month before now: so each renews 12 times in a year. */
async function fillSubscriptions({ client }: Ledger, now: number): Promise<void> {
  const apartMs = Math.floor((startDays * dayMs) / subscriptionCount);
  const lastDue = Temporal.Instant.fromEpochMilliseconds(now - apartMs)
    .toZonedDateTimeISO('UTC')
    .add({ months: 1 }).epochMilliseconds;
  await insertBlocks(client, [{ packageName, idPrefix: 'S', count: subscriptionCount, lastDue, apartMs }]);
  await client.query('vacuum analyze');
}

/** What the database says of it: everything once, without a gap, in the order of time. */
async function findFaults({ client }: Ledger): Promise<Record<string, number>> {
  const { rows } = await client.query(
    `select
      (select count(*) from purchase where period_index > 0)::integer as months,
      (select count(*) from event where type = 'subscription.renewed')::integer as events,
      (select count(*) from purchase p join purchase q on q.package_name = p.package_name
        and q.first_purchase_id = p.first_purchase_id and q.period_index = p.period_index + 1
        where q.start_time <> p.expiry_time)::integer as gaps,
      (select count(*) from subscription where last_period_index <> 12)::integer as others,
      (select count(*) from (select event_time < lag(event_time) over (order by event_order) as back
        from event) e where back)::integer as disorder`,
  );
  return rows[0] as Record<string, number>;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  const server = stack.use(
    await startChild(new URL('../bin/opentill.cjs', import.meta.url).pathname, {
      readyWords: 'documentation',
      urlWords: 'purchase API',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: ledger.databaseUrl,
        OPENTILL_PORT: '0',
        OPENTILL_OPERATOR_PORT: '0',
        OPENTILL_OPERATOR_KEY: adminKey,
        OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
      },
      logFile: join(folder, 'opentill.log'),
    }),
  );
  await operate(server, 'POST', '/apps', { packageName });
  await operate(server, 'PUT', `/apps/${packageName}/clock`, { mode: 'frozen' });
  const product = { type: 'subscription', price: 499, currency: 'EUR' };
  await operate(server, 'PUT', `/apps/${packageName}/products/monthly`, product);
  await fillSubscriptions(ledger, systemClock.now());
  const begun = performance.now();
  const path = `/apps/${packageName}/clock/advance`;
  const advanced = (await operate(server, 'POST', path, { by: 'P12M' })) as ClockAdvance;
  const seconds = (performance.now() - begun) / msPerSecond;
  const found = await findFaults(ledger);
  const expected = { months: renewalCount, events: renewalCount, gaps: 0, others: 0, disorder: 0 };
  if (advanced.count !== renewalCount || JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${advanced.count} were told, the database has ${JSON.stringify(found)}.`);
  }
  const perSecond = Math.round(renewalCount / seconds);
  process.stdout.write(
    `${renewalCount} renewals of one app, one call: ${seconds.toFixed(1)} s (${perSecond} a second), bar ${secondsMax}  ${verdict(seconds < secondsMax)}\n`,
  );
  const peakMib = await server.peakMemoryMib();
  if (peakMib === undefined) return;
  process.stdout.write(
    `largest resident memory of the server: ${peakMib} MiB, bar ${memoryMibMax}  ${verdict(peakMib < memoryMibMax)}\n`,
  );
}

await main();
