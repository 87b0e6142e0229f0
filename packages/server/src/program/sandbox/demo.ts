// Creates the demo app at the first `npm start`, through the operator operations, so that the console has a year to show and
// the calls that the welcome prints return data.

import type { Config } from '../../config/config.ts';
import { findSecretFile, makeDataFolder, secretFile } from '../../config/secret-files.ts';
import { minuteMs } from '../../domain/time.ts';
import type { OperatorHandler, OperatorResponse } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import { pause } from '../../runtime/pause.ts';
import type { Queryable } from '../../store/connection/database.ts';
import {
  deleteAppClock,
  type LockedAppClock,
  lockAppClockToSet,
  updateAppClock,
} from '../../store/sandbox/app-clocks.ts';
import { countStep, listUncountedApps } from '../../store/statistics/statistic-days.ts';
import type { Store } from '../../store/store.ts';
import { runOperation } from '../run-operation.ts';
import { demoStory, type StoryCall, storyProducts } from './demo-story.ts';

export interface Demo {
  readonly packageName: string;
  /** undefined if another server created the app and has the secret in its data folder. */
  readonly clientSecret: string | undefined;
  readonly purchaseIds: typeof purchaseIds;
}

const packageName = 'com.example.demo';
const secretFileName = 'demo-client.secret';

const purchaseIds = {
  coins: 'SANDBOX-DEMO-COINS',
  sword: 'SANDBOX-DEMO-SWORD',
  monthly: 'SANDBOX-DEMO-MONTHLY',
} as const;

const purchases = [
  { productId: 'coins_100', purchaseId: purchaseIds.coins, developerPayload: 'order-1001' },
  { productId: 'sword', purchaseId: purchaseIds.sword, developerPayload: 'order-1002' },
  { productId: 'club_monthly', purchaseId: purchaseIds.monthly, developerPayload: 'order-1003' },
] as const;

/** Far longer than the lease of an advance, in ms. */
const resetWithinMs = minuteMs;
const resetEveryMs = 250;

/** Sales of a chapter that are recorded at once. */
const salesAtOnce = 8;

interface DemoServer {
  readonly handlers: readonly OperatorHandler[];
  readonly store: Store;
}

/**
 * Creates the demo app with a year behind it, unless that was done before. The secret file is written last: a start without
 * it resets the app and begins again. On a shared database, an app that exists belongs to the server that created it.
 */
export async function makeDemo(config: Config, { handlers, store }: DemoServer): Promise<Demo> {
  const known = await findSecretFile(config.dataFolder, secretFileName);
  if (known !== undefined) return { packageName, clientSecret: known, purchaseIds };
  const app: DemoApp = { handlers, store, now: store.clock.now() };
  const created = await run(app, { operationId: 'createApp', body: { packageName, name: 'Demo' } });
  const exists = created instanceof Refusal;
  if (exists && config.databaseUrl !== undefined)
    return { packageName, clientSecret: undefined, purchaseIds };
  if (exists) await resetApp(app);
  const issued = exists ? await run(app, { operationId: 'rotateClientSecret', body: {} }) : created;
  if (issued instanceof Refusal) throw new Error(`Cannot create the demo app: ${issued.detail}`);
  for (const { productId, ...body } of storyProducts)
    await run(app, { operationId: 'putProduct', path: { productId }, body });
  await tellStory(app);
  for (const body of purchases) await run(app, { operationId: 'recordPurchase', body });
  await run(app, { operationId: 'voidPurchase', path: { purchaseId: purchaseIds.sword }, body: {} });
  // So that a first visit shows the year at once.
  for (const uncounted of await listUncountedApps(store.database.storeWide, 1))
    await countStep(store.database, uncounted, config.timeZone);
  const { clientSecret } = issued.body as { clientSecret: string };
  await makeDataFolder(config.dataFolder);
  await secretFile(config.dataFolder, secretFileName, () => clientSecret);
  return { packageName, clientSecret, purchaseIds };
}

interface DemoApp extends DemoServer {
  /** Real time, ms. */
  readonly now: number;
}

function run({ handlers, now }: DemoApp, { operationId, path, body }: StoryCall): Promise<OperatorResponse> {
  const call = { path: { packageName, ...path }, body, madeBy: 'job:demo', now };
  return runOperation(handlers, operationId, call);
}

/** A start that was killed may have left the lease of an advance, which rejects a reset until it ends. */
async function resetApp(app: DemoApp): Promise<void> {
  const deadline = app.now + resetWithinMs;
  while ((await run(app, { operationId: 'reset', body: {} })) instanceof Refusal) {
    if (app.store.clock.now() > deadline) throw new Error('The demo app could not be reset.');
    await pause(resetEveryMs);
  }
}

/** Moves the clock of the app a year back, and lets the year pass. Afterwards the app runs by real time. */
async function tellStory(app: DemoApp): Promise<void> {
  const chapters = demoStory(app.now);
  const [first] = chapters;
  if (first === undefined) return;
  await withClock(app, (transaction, { locked, realNow }) =>
    updateAppClock(transaction, packageName, {
      ...locked,
      ...{ mode: 'frozen', realTime: realNow, appTime: first.time },
    }),
  );
  for (const { time, sales, calls } of chapters) {
    if (time > first.time) await mustRun(app, { operationId: 'advanceClock', body: { to: time } });
    for (let start = 0; start < sales.length; start += salesAtOnce)
      await Promise.all(sales.slice(start, start + salesAtOnce).map((sale) => mustRun(app, sale)));
    for (const call of calls) await mustRun(app, call);
  }
  await withClock(app, (transaction) => deleteAppClock(transaction, packageName));
}

async function mustRun(app: DemoApp, call: StoryCall): Promise<void> {
  const response = await run(app, call);
  if (response instanceof Refusal)
    throw new Error(`The demo failed at ${call.operationId}: ${response.detail}`);
}

/** Changes the clock in a transaction that has locked it, as every other change of a clock does. */
async function withClock(
  { store: { database, clock } }: DemoApp,
  change: (transaction: Queryable, locked: LockedAppClock) => Promise<void>,
): Promise<void> {
  await database.transaction({ packageName }, async (transaction) => {
    await change(transaction, await lockAppClockToSet(transaction, { packageName, clock }));
  });
}
