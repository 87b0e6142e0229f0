// Kills of the server and of its PostgreSQL while calls are in flight.

import { expect, test } from 'vitest';
import { makeScratch, requirePostmasterId } from '../../../../test/support/embedded/scratch.ts';
import { adminKey, createTestApp } from '../../../../test/support/harness.ts';
import { type OpentillProcess, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { AcknowledgedLoad } from './acknowledged-load.ts';
import { auditLedger } from './ledger-audit.ts';

/** npm run test:chaos kills more often. */
const kills = {
  server: Number(process.env['SERVER_KILLS'] ?? 1),
  'bundled PostgreSQL': Number(process.env['POSTGRES_KILLS'] ?? 1),
};

/** Acknowledged calls before each kill, so that other calls are in flight. */
const callsBeforeKill = 150;

function start(dataFolder: string): OpentillProcess {
  return startOpentill({
    env: {
      OPENTILL_DATA_DIR: dataFolder,
      OPENTILL_OPERATOR_KEYS: `root:admin:${adminKey}`,
      OPENTILL_LOG_LEVEL: 'fatal',
    },
  });
}

test.each(['server', 'bundled PostgreSQL'] as const)(
  'every acknowledged change survives repeated kill -9 of the %s under load, which ends the server',
  async (victim) => {
    await using scratch = await makeScratch();
    let load: AcknowledgedLoad | undefined;
    for (let round = 0; round < kills[victim]; round += 1) {
      await using server = start(scratch.dataFolder);
      const address = await server.ready();
      load ??= new AcknowledgedLoad(await createTestApp(address), adminKey);
      const enough = load.acknowledgedCalls + callsBeforeKill;
      let isOver = false;
      const running = load.run(address, () => isOver);
      await waitFor(() => (load?.acknowledgedCalls ?? 0) >= enough, { what: 'a load' });
      const postmaster = await requirePostmasterId(scratch.dataFolder);
      if (victim === 'server') server.signal('SIGKILL');
      else process.kill(postmaster, 'SIGKILL');
      expect(await server.ended()).toBe(victim === 'server' ? null : 1);
      const lines = server.output.stdout.match(/.*the bundled PostgreSQL has ended.*/g) ?? [];
      expect(lines).toHaveLength(victim === 'server' ? 0 : 1);
      isOver = true;
      await running;
    }
    await using server = start(scratch.dataFolder);
    await load?.expectAllThere(await server.ready());
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
    process.stdout.write(
      `${victim} killed ${kills[victim]} times: ${load?.acknowledgedCalls} acknowledged calls, none lost\n`,
    );
    await using postgres = await startEmbeddedPostgres(scratch);
    expect(await auditLedger(postgres.connection)).toEqual({});
  },
);
