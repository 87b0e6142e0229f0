// A store on its bundled PostgreSQL, under a load that remembers what was acknowledged, and what must hold of it after a
// fault.

import { expect } from 'vitest';
import { startEmbeddedPostgres } from '../../packages/server/src/embedded/start-embedded-postgres.ts';
import { AcknowledgedLoad } from '../../packages/server/test/attack/acknowledged-load.ts';
import { auditLedger } from '../../packages/server/test/attack/ledger-audit.ts';
import { findClusterFolder, makeScratch } from '../../packages/server/test/embedded/scratch.ts';
import { adminKey, clientOf, createTestApp, type TestApp } from '../../packages/server/test/harness.ts';
import {
  type OpentillProcess,
  type ServerAddress,
  startOpentill,
} from '../../packages/server/test/start/opentill-process.ts';
import { waitFor } from '../../packages/server/test/wait-for.ts';
import { report } from '../report.ts';
import { eachEvent } from './store-checks.ts';

/** Acknowledged calls before, during and after a fault that show that the load is running. */
const callsMin = 300;

/** After a fault, calls succeed again within this time, in ms. */
const servesWithinMs = 10_000;

/** Every call is answered within this time, in ms (docs/operating.md). */
const answeredWithinMs = 3_000;

const deadlineMs = 120_000;

export interface BundledStore extends AsyncDisposable {
  readonly dataFolder: string;
  readonly clusterFolder: string;
  /** Resolves when a call got 503 after this one. */
  untilUnavailable(): Promise<void>;
  /** Reports how long it takes until calls succeed again, and waits until the load is running. */
  reportRecovery(): Promise<void>;
  /** Ends the load, stops the server, and checks what is left. */
  finish(): Promise<void>;
}

/** `prepare` is called with the folder of PostgreSQL's data, after it was created and while nothing runs on it. */
export async function startBundledStore(
  prepare: (clusterFolder: string) => Promise<AsyncDisposable | undefined> = async () => undefined,
): Promise<BundledStore> {
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(await makeScratch());
  const { dataFolder } = scratch;
  const postgres = await startEmbeddedPostgres({ dataFolder });
  await postgres.stop();
  const clusterFolder = await findClusterFolder(dataFolder);
  starting.use(await prepare(clusterFolder));
  const server = starting.use(start(dataFolder));
  const address = await server.ready();
  const app = await createTestApp(address);
  const load = new AcknowledgedLoad(app, adminKey);
  let isOver = false;
  const running = load.run(address, () => isOver);
  const untilServing = async (): Promise<void> => {
    const enough = load.acknowledgedCalls + callsMin;
    await Promise.race([
      waitFor(() => load.acknowledgedCalls >= enough, { deadlineMs, what: 'acknowledged calls' }),
      // A load that fails ends early.
      running.then(() => expect.fail('the load has ended')),
    ]);
  };
  await untilServing();
  const owned = starting.move();
  return {
    dataFolder,
    clusterFolder,
    async untilUnavailable() {
      const unavailable = load.unavailableCalls;
      await waitFor(() => load.unavailableCalls > unavailable, { deadlineMs, what: 'a call that gets 503' });
    },
    async reportRecovery() {
      const ended = performance.now();
      const acknowledged = load.acknowledgedCalls;
      await waitFor(() => load.acknowledgedCalls > acknowledged, {
        deadlineMs,
        what: 'a call that succeeds',
      });
      report('ms until calls succeed again', performance.now() - ended, { most: servesWithinMs });
      await untilServing();
    },
    async finish() {
      isOver = true;
      await running;
      report('acknowledged calls', load.acknowledgedCalls, { least: callsMin });
      report('calls that got 503', load.unavailableCalls, { least: 1 });
      report('ms of the slowest call', load.slowestMs, { most: answeredWithinMs });
      await expectSound(address, app, load);
      await stopAndAudit(server, dataFolder);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function start(dataFolder: string): OpentillProcess {
  return startOpentill({
    env: {
      OPENTILL_DATA_DIR: dataFolder,
      OPENTILL_OPERATOR_KEY: adminKey,
      OPENTILL_LOG_LEVEL: 'error',
      OPENTILL_LOG_FORMAT: 'pretty',
    },
  });
}

/** Through the public APIs: nothing acknowledged is lost, and the feed and the voided list skip and repeat nothing. */
async function expectSound(address: ServerAddress, app: TestApp, load: AcknowledgedLoad): Promise<void> {
  await load.expectAllThere(address);
  const { packageName } = app;
  const voidedInFeed: unknown[] = [];
  for await (const event of eachEvent(address, packageName)) {
    if (event.type === 'purchase.voided') voidedInFeed.push(event.purchaseId);
  }
  const listed = await Array.fromAsync(clientOf(address, app).voidedPurchases({ maxResults: 999 }));
  expect(listed.map(({ purchaseId }) => purchaseId)).toEqual(voidedInFeed);
}

/** The server that lived through the fault stops as always, and its database breaks no rule. */
async function stopAndAudit(server: OpentillProcess, dataFolder: string): Promise<void> {
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  await using postgres = await startEmbeddedPostgres({ dataFolder });
  expect(await auditLedger(postgres.connection)).toEqual({});
}
