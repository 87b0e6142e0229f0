import { describe, expect, test } from 'vitest';
import {
  findClusterFolder,
  findPostgresProcesses,
  makeScratch,
} from '../../../../test/support/embedded/scratch.ts';
import {
  call,
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  startTestServer,
  type TestServer,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { everyCall, expectResponses, expectUnavailable, makeStage, type Stage } from '../apps/every-call.ts';
import { auditLedger } from '../purchases/ledger-audit.ts';

/** How often each of the sixteen calls is sent concurrently: many more than there are connections. */
const callsOfEachKind = 8;

/** The time limits of production, which end calls to a database that does not respond. */
const testing = { patience: 1 };

const database = await useForFile(freshDatabase());
// The clock sets the database's time past the proxy.
const clock = new TestClock(testNow);
await clock.drive(database);
const proxy = await useForFile(DatabaseProxy.start(database.connection));
const server = await useTestServer({
  ...{ clock, testing },
  database: { ...database, connection: proxy.connection },
});
const stage = await makeStage(server, await createTestApp(server));

async function expectReadiness(of: TestServer, status: number): Promise<void> {
  const ready = await call(`${of.operatorUrl}/health/ready`);
  expect(ready.status).toBe(status);
  expect((await call(`${of.operatorUrl}/health/live`)).status).toBe(200);
}

/** Two concurrent calls, so that one finds a cached app and the other has to read it. */
async function expectAway(of: TestServer, at: Stage): Promise<void> {
  for (const passesMs of [0, 6_000]) {
    await of.clock.advance(passesMs);
    await expectResponses(everyCall(at), callsOfEachKind, expectUnavailable);
    await expectReadiness(of, 503);
  }
}

/** Checks that many concurrent calls succeed, so that the outage has lost no connection. */
async function expectRecovered(of: TestServer, at: Stage): Promise<void> {
  const { getPurchaseDetails } = everyCall(at);
  await waitFor(async () => (await getPurchaseDetails?.())?.status === 200, {
    what: 'a response of a database that is back',
  });
  await expectReadiness(of, 200);
  // Reconnecting is slow on a busy machine, and a call that waits too long for it gets 503 again.
  await waitFor(async () => (await unavailableAmongMany(of, at)) === 0, {
    what: 'many calls at once that all get a response',
  });
}

async function unavailableAmongMany(of: TestServer, at: Stage): Promise<number> {
  const fresh = await makeStage(of, at.app);
  let unavailable = 0;
  await expectResponses(everyCall(fresh), callsOfEachKind, (name, { status, text }) => {
    if (status === 503) unavailable += 1;
    else expect([200, 201, 409], `${name}: ${text}`).toContain(status);
  });
  return unavailable;
}

describe('an unreachable database', () => {
  test.each(['losing', 'resetting', 'refusing'] as const)(
    'while the network is %s every call gets a 503, and the server recovers by itself',
    async (state) => {
      // Opens every connection of the pool before the outage.
      await expectRecovered(server, stage);
      await proxy.become(state);
      await expectAway(server, stage);
      await proxy.become('open');
      await expectRecovered(server, stage);
      expect(await auditLedger(database.connection)).toEqual({});
    },
  );

  test('while PostgreSQL is frozen every call gets a 503, not each with a line of its own about it, and the server recovers by itself', async () => {
    const logLines: string[] = [];
    await using scratch = await makeScratch();
    await using postgres = await startEmbeddedPostgres(scratch);
    await using own = await startTestServer({ database: postgres, testing, logLines });
    const at = await makeStage(own, await createTestApp(own));
    const frozen = findPostgresProcesses(await findClusterFolder(scratch.dataFolder));
    expect(frozen.length).toBeGreaterThan(1);
    try {
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      await expectAway(own, at);
      const codes = logLines.map((line) => JSON.parse(line).code);
      expect(codes).toContain('databaseUnavailable');
      expect(codes).not.toContain('callFailed');
      expect(codes.filter((code) => code === 'databaseUnavailable').length).toBeLessThan(callsOfEachKind);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await expectRecovered(own, at);
    expect(await auditLedger(postgres.connection)).toEqual({});
  });
});

test('connections that break together are one line of the log, without a stack', async () => {
  const logLines: string[] = [];
  await using own = await startTestServer({
    ...{ clock, testing, logLines },
    database: { ...database, connection: proxy.connection },
  });
  const at = await makeStage(own, await createTestApp(own, 'com.example.away'));
  await expectRecovered(own, at);
  await proxy.become('resetting');
  await proxy.become('open');
  await expectRecovered(own, at);
  const broken = logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /connections? broke/.test(msg));
  expect(broken).toMatchObject([{ level: 40, reason: expect.any(String) }]);
  expect(broken[0]).not.toHaveProperty('err');
});

describe('lost commit responses', () => {
  test('a void whose commit response is lost gets 503, and its retry settles it', async () => {
    const { voidPurchase } = everyCall(await makeStage(server, stage.app));
    proxy.loseCommitOf('update_voided');
    expectUnavailable('voidPurchase', (await voidPurchase?.()) ?? expect.fail());
    expect(await voidPurchase?.()).toMatchObject({ status: 200, body: { purchaseState: 1 } });
    expect(await auditLedger(database.connection)).toEqual({});
  });

  test('a consume whose commit response is lost gets 503, and its retry settles it', async () => {
    const { consumePurchase } = everyCall(await makeStage(server, stage.app));
    proxy.loseResponseTo('consume_purchases');
    expectUnavailable('consumePurchase', (await consumePurchase?.()) ?? expect.fail());
    expect(await consumePurchase?.()).toMatchObject({ status: 409, body: { error: { code: 9201 } } });
    expect(await auditLedger(database.connection)).toEqual({});
  });

  test('a recording whose commit response is lost gets 503, and its retry settles it', async () => {
    const purchase = { orderId: 'order-1', developerPayload: 'payload' };
    proxy.loseResponseTo('record_purchases');
    await expect(recordTestPurchase(server, stage.app, purchase)).rejects.toMatchObject({
      httpStatus: 503,
      isOutcomeUnknown: true,
    });
    expect(await recordTestPurchase(server, stage.app, purchase)).toMatchObject(purchase);
    expect(await auditLedger(database.connection)).toEqual({});
  });
});
