// Kills of the server and of its PostgreSQL while calls are in flight.

import { expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { makeScratch, requirePostmasterId } from '../embedded/scratch.ts';
import { adminKey, createTestApp } from '../harness.ts';
import { type OpentillProcess, startOpentill } from '../start/opentill-process.ts';
import { waitFor } from '../wait-for.ts';
import { AcknowledgedLoad } from './acknowledged-load.ts';
import { answeredWithinMs } from './every-call.ts';
import { auditLedger } from './ledger-audit.ts';

/** npm run test:chaos kills more often. */
const serverKills = Number(process.env['SERVER_KILLS'] ?? 1);
const postmasterKills = Number(process.env['POSTGRES_KILLS'] ?? 1);

/** Acknowledged calls before each kill, so that other calls are in flight. */
const callsBeforeKill = 150;

/** A recovery takes about 300 ms, and much longer on a machine that is busy with other tests. */
const recoveredWithinMs = 15_000;

function start(dataFolder: string): OpentillProcess {
  return startOpentill({
    env: { OPENTILL_DATA_DIR: dataFolder, OPENTILL_OPERATOR_KEY: adminKey, OPENTILL_LOG_LEVEL: 'error' },
  });
}

async function expectSoundLedger(dataFolder: string): Promise<void> {
  await using postgres = await startEmbeddedPostgres({ dataFolder });
  expect(await auditLedger(postgres.connection)).toEqual({});
}

test('every acknowledged change survives repeated kill -9 of the server under load', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeScratch();
  let load: AcknowledgedLoad | undefined;
  for (let round = 0; round < serverKills; round += 1) {
    await using server = start(scratch.dataFolder);
    const address = await server.ready();
    load ??= new AcknowledgedLoad(await createTestApp(address), adminKey);
    // All acknowledged purchases are checked at the end.
    await load.expectNewThere(address);
    const enough = load.acknowledgedCalls + callsBeforeKill;
    let isKilled = false;
    await load.run(address, () => {
      if (load !== undefined && load.acknowledgedCalls >= enough && !isKilled) {
        server.signal('SIGKILL');
        isKilled = true;
      }
      return false;
    });
    expect(isKilled).toBe(true);
    await server.ended();
  }
  await using server = start(scratch.dataFolder);
  await load?.expectAllThere(await server.ready());
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  process.stdout.write(
    `server killed ${serverKills} times: ${load?.acknowledgedCalls} acknowledged calls, none lost\n`,
  );
  await expectSoundLedger(scratch.dataFolder);
});

test('every acknowledged change survives repeated kill -9 of the bundled PostgreSQL under load, and all calls are answered in time', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeScratch();
  await using server = start(scratch.dataFolder);
  const address = await server.ready();
  const load = new AcknowledgedLoad(await createTestApp(address), adminKey);
  for (let round = 0; round < postmasterKills; round += 1) {
    let isOver = false;
    const running = load.run(address, () => isOver);
    const callsSoFar = load.acknowledgedCalls;
    await waitFor(() => load.acknowledgedCalls >= callsSoFar + callsBeforeKill, {
      deadlineMs: 10_000,
      what: 'a load',
    });
    const unavailableSoFar = load.unavailableCalls;
    process.kill(await requirePostmasterId(scratch.dataFolder), 'SIGKILL');
    await waitFor(() => load.unavailableCalls > unavailableSoFar, {
      deadlineMs: 10_000,
      what: 'an answer of 503',
    });
    const callsBefore = load.acknowledgedCalls;
    await waitFor(() => load.acknowledgedCalls > callsBefore + callsBeforeKill, {
      deadlineMs: recoveredWithinMs,
      what: 'a load that goes on',
    });
    isOver = true;
    await running;
    await load.expectAllThere(address);
  }
  process.stdout.write(
    `PostgreSQL killed ${postmasterKills} times: ${load.acknowledgedCalls} acknowledged calls, none lost, ${load.unavailableCalls} answers of 503, the slowest answer took ${Math.round(load.slowestMs)} ms\n`,
  );
  expect(load.slowestMs).toBeLessThan(answeredWithinMs);
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  await expectSoundLedger(scratch.dataFolder);
});
