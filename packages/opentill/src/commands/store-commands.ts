// opentill serve, database and doctor: what needs the settings of a server. What each does is loaded when it runs.

import type { SettingName } from '@opentill/server/settings.ts';
import type { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { allSettings, environmentOf, withSettings } from '../setting-flags.ts';
import type { Surroundings } from '../surroundings.ts';
import { Output } from '../terminal/output.ts';

/** Which store, and where it is. */
export const storeSettings: readonly SettingName[] = [
  'OPENTILL_ENVIRONMENT',
  'DATABASE_URL',
  'OPENTILL_DATA_DIR',
];

export function addServe(program: Command, { env }: Surroundings): void {
  const serve = program
    .command('serve')
    .description('run a server until it is told to stop; flags count before the variables of the same names');
  withSettings(serve, allSettings).action(async () => {
    const server = await import('@opentill/server/main.ts');
    await server.serve(environmentOf(serve, allSettings, env));
  });
}

export function addDatabaseCommands(program: Command, surroundings: Surroundings): void {
  const database = program.command('database').description('the database: its schema and its state');

  const migrate = withSettings(
    database
      .command('migrate')
      .description('bring the schema up to this version, as the start of a server does')
      .option('--json', 'print JSON'),
    storeSettings,
  );
  migrate.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { migrateDatabase } = await import('../store/database-work.ts');
    const done = await migrateDatabase(environmentOf(migrate, storeSettings, surroundings.env));
    await output.list(
      done.map((name) => ({ name })),
      { migration: ({ name }) => name },
    );
  });

  const status = withSettings(
    database
      .command('status')
      .description('print what it is, whose, and how far its schema is')
      .option('--json', 'print JSON'),
    storeSettings,
  );
  status.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { showDatabase } = await import('../store/database-work.ts');
    await showDatabase(environmentOf(status, storeSettings, surroundings.env), output);
  });
}

export function addDoctor(program: Command, surroundings: Surroundings): void {
  const doctor = withSettings(
    program
      .command('doctor')
      .description('look whether a server would run with these settings; changes nothing, fails with 1')
      .option('--json', 'print JSON'),
    allSettings,
  );
  doctor.action(async (options: { json?: boolean }) => {
    const output = new Output(surroundings, options);
    const { examine } = await import('../store/examination.ts');
    const isWell = await examine(environmentOf(doctor, allSettings, surroundings.env), output);
    if (!isWell) surroundings.setExitCode(exitCodes.failed);
  });
}
