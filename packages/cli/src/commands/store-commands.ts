// The commands serve, database and doctor, which need the settings of a server. Their code is loaded when they run.

import type { SettingName } from '@opentill/server/settings.ts';
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { allSettings, environmentOf, withSettings } from '../setting-flags.ts';
import type { Surroundings } from '../surroundings.ts';
import { Output } from '../terminal/output.ts';

/** The settings that select a store. */
export const storeSettings: readonly SettingName[] = [
  'OPENTILL_ENVIRONMENT',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'OPENTILL_DATA_DIR',
];

/** The default of Citus; the limit is far more than a store needs. */
const shardsByDefault = 32;
const shardsMax = 1_024;

export function addServe(program: Command, { env }: Surroundings): void {
  const serve = program
    .command('serve')
    .description('run a server until it is stopped; flags take precedence over environment variables');
  withSettings(serve, allSettings).action(async () => {
    const server = await import('@opentill/server/main.ts');
    await server.serve(environmentOf(serve, allSettings, env));
  });
}

export function addDatabaseCommands(program: Command, surroundings: Surroundings): void {
  const database = program
    .command('database')
    .description('migrate the database, print its state, distribute it, or repair it after a wrong clock');

  const migrate = withSettings(
    database
      .command('migrate')
      .description('apply missing migrations, as the start of a server does')
      .option('--json', 'print JSON'),
    storeSettings,
  );
  migrate.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { migrateDatabase } = await import('../store/database.ts');
    const done = await migrateDatabase(environmentOf(migrate, storeSettings, surroundings.env));
    await output.list(
      done.map((name) => ({ name })),
      { migration: ({ name }) => name },
    );
  });

  const status = withSettings(
    database
      .command('status')
      .description('print the version, environment and migrations of the database')
      .option('--json', 'print JSON'),
    storeSettings,
  );
  status.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { printDatabaseStatus } = await import('../store/database.ts');
    await printDatabaseStatus(environmentOf(status, storeSettings, surroundings.env), output);
  });
  addDistribute(database, surroundings);
  addRepairClock(database, surroundings);
}

function addDistribute(database: Command, surroundings: Surroundings): void {
  const distribute = withSettings(
    database
      .command('distribute')
      .description(
        'distribute the tables over the nodes of a Citus cluster, with their rows; stop all servers first',
      )
      .option('--shards <number>', 'shards of each table', wholeNumber(1, shardsMax), shardsByDefault)
      .option('--json', 'print JSON'),
    storeSettings,
  );
  distribute.action(async ({ shards, ...options }: { shards: number; json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { distributeDatabase } = await import('../store/distribute.ts');
    const env = environmentOf(distribute, storeSettings, surroundings.env);
    const cluster = await distributeDatabase(env, { shards });
    const { clusterFields } = await import('../store/database.ts');
    output.record(output.isJson ? cluster : clusterFields(cluster));
  });
}

function addRepairClock(database: Command, surroundings: Surroundings): void {
  const repair = withSettings(
    database
      .command('repair-clock')
      .description(
        "list the times of the store that a wrong clock wrote more than 60 seconds ahead of the database's time",
      )
      .option('--apply', 'correct them')
      .option('--json', 'print JSON'),
    storeSettings,
  );
  repair.action(async ({ apply = false, ...options }: { apply?: boolean; json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { repairClock } = await import('../store/repair-clock.ts');
    const env = environmentOf(repair, storeSettings, surroundings.env);
    const repairs = await repairClock(env, { apply });
    await output.list(repairs, {
      app: ({ packageName }) => packageName,
      what: ({ what }) => what,
      rows: ({ rows }) => rows,
      latestTime: ({ latestTime }) => latestTime,
    });
    if (repairs.length > 0 && !apply) output.note('Nothing was changed: run the command again with --apply to correct these times.');
  });
}

export function addDoctor(program: Command, surroundings: Surroundings): void {
  const doctor = withSettings(
    program
      .command('doctor')
      .description(
        'check whether a server would start with these settings; changes nothing, exits with 1 if a check fails',
      )
      .option('--json', 'print JSON'),
    allSettings,
  );
  doctor.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { runDoctor } = await import('../store/doctor.ts');
    const isOk = await runDoctor(environmentOf(doctor, allSettings, surroundings.env), output);
    if (!isOk) surroundings.setExitCode(exitCodes.failed);
  });
}
