// Two servers of a sandbox, one of which is frozen for ten seconds in the middle of an advance. The other one takes the
// advance over, and every month starts exactly once.

import { Client } from 'pg';
import { expect } from 'vitest';
import { startEmbeddedPostgres } from '../../packages/server/src/embedded/start-embedded-postgres.ts';
import { makeScratch } from '../../packages/server/test/embedded/scratch.ts';
import { createTestApp, databaseEnv, operate, operatorOf } from '../../packages/server/test/harness.ts';
import { insertBlocks } from '../../packages/server/test/renewals/subscription-block.ts';
import { type ServerAddress, startOpentill } from '../../packages/server/test/start/opentill-process.ts';
import { waitFor } from '../../packages/server/test/wait-for.ts';
import { report } from '../report.ts';
import { eachEvent, untilFaultEnds } from './store-checks.ts';

const subscriptions = 2_048;
const renewals = 12;
const dayMs = 24 * 60 * 60 * 1_000;
/** The server is frozen when the clock has moved this far. */
const frozenAfterMs = 60 * dayMs;
const deadlineMs = 240_000;

/** Starts an advance, unless the lease of another one is in the way; undefined if the connection breaks. */
const advance = (server: ServerAddress, packageName: string, to: number) =>
  operate(server, 'POST', `/apps/${packageName}/clock/advance`, { body: { to } }).catch(() => undefined);

/** From the event feed: every subscription was renewed each month, and each month starts where the previous one ends. */
async function expectEveryMonthOnce(server: ServerAddress, packageName: string): Promise<void> {
  const months = new Map<string, number[]>();
  for await (const event of eachEvent(server, packageName)) {
    if (event.type !== 'subscription.renewed') continue;
    const { startTime = 0, expiryTime = 0 } = event.record ?? {};
    const ends = months.get(event.firstPurchaseId) ?? [startTime];
    expect(startTime).toBe(ends.at(-1));
    months.set(event.firstPurchaseId, [...ends, expiryTime]);
  }
  const counts = [...months.values()].map((ends) => ends.length - 1);
  report('subscriptions', counts.length, { least: subscriptions });
  report('fewest renewals of a subscription', Math.min(...counts), { least: renewals });
  report('most renewals of a subscription', Math.max(...counts), { most: renewals });
}

await using scratch = await makeScratch();
await using postgres = await startEmbeddedPostgres(scratch);
const env = {
  ...databaseEnv(postgres.connection),
  OPENTILL_LOG_LEVEL: 'error',
};
await using frozen = startOpentill({ env });
const first = await frozen.ready();
await using other = startOpentill({ env });
const second = await other.ready();

const app = await createTestApp(first);
const { packageName } = app;
const { now } = await operatorOf(first).putClock({ packageName, mode: 'frozen' });
const client = new Client(postgres.connection);
await client.connect();
const apartMs = Math.floor((27 * dayMs) / subscriptions);
await insertBlocks(client, [
  { packageName, idPrefix: 'S-', count: subscriptions, lastDue: now + subscriptions * apartMs, apartMs },
]);
await client.end();

/** Until then, each is renewed twelve times. */
const to = now + 365 * dayMs;
const interrupted = advance(first, packageName, to);
const hasBegun = async () => (await operatorOf(second).getClock({ packageName })).now > now + frozenAfterMs;
await waitFor(hasBegun, { deadlineMs, what: 'the middle of an advance' });
frozen.signal('SIGSTOP');
const begun = performance.now();
const takenOver = waitFor(async () => (await advance(second, packageName, to))?.status === 200, {
  deadlineMs,
  what: 'an advance that the other server finishes',
});
await untilFaultEnds(begun);
frozen.signal('SIGCONT');
report(
  'ms until the other server has finished the advance',
  await takenOver.then(() => performance.now() - begun),
);
report('status of the interrupted advance', (await interrupted)?.status ?? 0, { least: 400 });
expect((await operatorOf(second).getClock({ packageName })).now).toBe(to);
await expectEveryMonthOnce(second, packageName);
