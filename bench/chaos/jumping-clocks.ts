// Clocks that jump ahead and back while subscriptions renew and purchases are voided: those of two servers, and that of
// their database. When they are right again, an operator repairs what a wrong one wrote, and a developer follows the
// voided list.

import { expect } from 'vitest';
import { startEmbeddedPostgres } from '../../packages/server/src/embedded/start-embedded-postgres.ts';
import { ClockJob } from '../../packages/server/src/jobs/clock-job.ts';
import { secureRandomness } from '../../packages/server/src/runtime/randomness.ts';
import { repairApp } from '../../packages/server/src/store/clocks/clock-repair.ts';
import { makeScratch } from '../../packages/server/test/embedded/scratch.ts';
import {
  clientOf,
  createTestApp,
  recordTestPurchase,
  startTestServer,
} from '../../packages/server/test/harness.ts';
import { tryVoid } from '../../packages/server/test/purchase-changes.ts';
import { logInto, openJob, stageEnv } from '../../packages/server/test/renewals/renewal-stage.ts';
import { auditSubscriptions } from '../../packages/server/test/renewals/subscription-audit.ts';
import { startTestGateway } from '../../packages/server/test/renewals/test-gateway.ts';
import { openDatabase } from '../../packages/server/test/store/open-database.ts';
import { openClockGuard, TestClock } from '../../packages/server/test/test-clock.ts';
import { report } from '../report.ts';
import { eachEvent } from './store-checks.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;

/** Each round lasts six hours: a third of a year. */
const rounds = 480;
const roundMs = 6 * hourMs;
const subscriptions = 60;

/** In one round of three, each clock is wrong by one of these. */
const jumps = [365 * dayMs, 40 * dayMs, 2 * dayMs, hourMs, minuteMs / 2, -minuteMs / 2, -hourMs, -40 * dayMs];
const wrongRoundsShare = 3;

/** A clock that all servers and the database agree on is found wrong from this difference on. */
const undetectedMs = 3 * dayMs + minuteMs;

const draw = (below: number): number => secureRandomness.uint32() % below;
const drawJump = (): number => (draw(wrongRoundsShare) === 0 ? (jumps[draw(jumps.length)] ?? 0) : 0);

await using stack = new AsyncDisposableStack();
const scratch = stack.use(await makeScratch());
const postgres = stack.use(await startEmbeddedPostgres(scratch));
const gateway = stack.use(await startTestGateway());
const start = Date.UTC(2026, 0, 1);
/** The right time. */
const truth = new TestClock(start);
const databaseClock = new TestClock(start);

const { connection } = postgres;
const database = stack.use(openDatabase(connection, 4));

async function startMember() {
  const clock = new TestClock(start);
  const server = stack.use(
    await startTestServer({ database: postgres, clock, databaseClock, env: stageEnv(gateway) }),
  );
  const clocks = openClockGuard({ database, clock, databaseClock, environment: 'production' });
  const told = { outcomes: [], logLines: [] as string[], oldestOverdueSeconds: 0, conflicts: 0 };
  const { job } = stack.use(openJob(server, { gateway, told }, { clocks }));
  const clockJob = new ClockJob({
    database,
    environment: 'production',
    clocks,
    log: logInto(told.logLines),
    onHold: () => undefined,
  });
  return { server, clock, clocks, run: () => clockJob.runOnce().then(() => job.runOnce()) };
}

const members = [await startMember(), await startMember()] as const;
const [{ server, clocks }] = members;
const app = await createTestApp(server);
const { packageName } = app;
const client = clientOf(server, app);

/** How much too early the gateway was asked for a month, in ms. */
let earliest = 0;
gateway.decide(({ startTime }) => {
  earliest = Math.max(earliest, startTime - truth.now());
  return { outcome: 'paid' };
});

const followed: string[] = [];
let position: Parameters<typeof client.followVoidedPurchases>[0]['since'] = start;
async function follow(): Promise<void> {
  position = await client.followVoidedPurchases({
    since: position,
    save: ({ voidedPurchases }) => void followed.push(...voidedPurchases.map(({ purchaseId }) => purchaseId)),
  });
}

/** All clocks are right: an operator lets the store continue if its clock seemed wrong, and repairs it. */
async function setClocksRight(): Promise<void> {
  for (const clock of [databaseClock, ...members.map((member) => member.clock)]) clock.set(truth.now());
  for (const member of members) await member.run();
  if ((await clocks.read()).hold !== undefined) await clocks.confirm();
  await repairApp(database, { packageName, now: truth.now() });
  for (const member of members) await member.run();
}

for (let n = 0; n < subscriptions; n += 1) {
  const purchaseTime = start - draw(20 * dayMs);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: `S-${n}`, purchaseTime });
}
await setClocksRight();

const voided: string[] = [];
let refused = 0;
for (let round = 0; round < rounds; round += 1) {
  truth.advance(roundMs);
  await setClocksRight();
  const purchaseId = `P-${round}`;
  await recordTestPurchase(server, app, { purchaseId });
  databaseClock.set(truth.now() + drawJump());
  for (const { clock } of members) clock.set(truth.now() + drawJump());
  const [{ status }] = await Promise.all([
    tryVoid(members[draw(members.length)]?.server ?? server, app, purchaseId),
    ...members.map((member) => member.run()),
  ]);
  if (status === 200) voided.push(purchaseId);
  else refused += 1;
  await setClocksRight();
  await follow();
}

report('months charged', gateway.taken.size, { least: 3 * subscriptions });
report('days that a month was charged too early', earliest / dayMs, { most: undetectedMs / dayMs });
report('voids that were accepted', voided.length, { least: rounds / 2 });
report('voids that were rejected', refused);
expect(followed).toEqual(voided);
const events = await Array.fromAsync(eachEvent(server, packageName));
const voidsInFeed = events.flatMap((event) => (event.type === 'purchase.voided' ? [event.purchaseId] : []));
expect(voidsInFeed).toEqual(voided);
const { problems } = await auditSubscriptions(connection, gateway.taken, truth.now());
expect(problems).toEqual([]);
