// The commands serve, database and doctor, which need the settings of a server. Their code is loaded when they run.

import { type Cluster, type DatabaseStatus, load, settingNames } from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { environmentOf, withSettings } from '../setting-flags.ts';
import { printChecks } from './check-results.ts';
import { storeSettings, worksOnStore } from './store-command.ts';

/** The default of Citus; the limit is far more than a store needs. */
const shardsByDefault = 32;
const shardsMax = 1_024;

const seedOption = [
  '--seed <file>',
  'the export of a sandbox that is imported into the empty store first',
] as const;

const execHelp = `
The command gets the address and an app of the sandbox in STORE_URL, CLIENT_ID, CLIENT_SECRET and PACKAGE_NAME, and
OPENTILL_OPERATOR_URL and OPENTILL_OPERATOR_KEY for the commands that call a server.`;

export function addServe(program: Command, { env }: CommandContext): void {
  const serve = program
    .command('serve')
    .description('run a server until it is stopped; flags take precedence over environment variables')
    .option('--demo', 'create the demo app at the first start and print requests for it, in the sandbox')
    .option(...seedOption);
  withSettings(serve, settingNames).action(async ({ demo, seed }: { demo?: true; seed?: string }) => {
    const { serve: run } = await load.server();
    await run(environmentOf(serve, settingNames, env), { wantsDemo: demo === true, seed });
  });
}

export function addExec(program: Command, { env, setExitCode }: CommandContext): void {
  program
    .command('exec')
    .argument('<command...>', 'the command and its arguments, after --')
    .description(
      'run a command with a sandbox of its own, which ends with it; exits with the code of the command',
    )
    .option(...seedOption)
    .addHelpText('after', execHelp)
    .passThroughOptions()
    .action(async (command: readonly [string, ...string[]], { seed }: { seed?: string }) => {
      const { execute } = await load.exec();
      setExitCode(await execute(command, { env, seed }));
    });
}

export function addDatabaseCommands(program: Command, context: CommandContext): void {
  const database = program
    .command('database')
    .description('migrate the database, print its state, or distribute it over a cluster');
  const onStore = { context, settings: storeSettings };
  const command = (name: string, description: string) =>
    database.command(name).description(description).option('--json', 'print JSON');

  const migrate = command('migrate', 'apply missing migrations, as the start of a server does');
  worksOnStore(migrate, onStore, async ({ env, output }) => {
    const { migrateDatabase } = await load.database();
    const names = await migrateDatabase(env);
    await output.list(
      names.map((name) => ({ name })),
      { migration: ({ name }) => name },
    );
  });

  const status = command('status', 'print the version, environment and migrations of the database');
  worksOnStore(status, onStore, async ({ env, output }) => {
    const { databaseStatus } = await load.database();
    const found = await databaseStatus(env);
    output.record(output.isJson ? statusJson(found) : statusFields(found));
  });

  const distribute = command(
    'distribute',
    'distribute the tables over the nodes of a Citus cluster, with their rows; stop all servers first',
  ).option('--shards <number>', 'shards of each table', wholeNumber(1, shardsMax), shardsByDefault);
  worksOnStore<{ shards: number }>(distribute, onStore, async ({ env, options, output }) => {
    const { distributeDatabase } = await load.database();
    const cluster = await distributeDatabase(env, options);
    output.record(output.isJson ? cluster : clusterFields(cluster));
  });
}

function statusJson({ installation, version, bytes, migrations, missing, newer, cluster }: DatabaseStatus) {
  const environment = installation?.environment ?? null;
  return { environment, postgresql: version, bytes, migrations, missing, newer, cluster: cluster ?? null };
}

function statusFields({ installation, version, bytes, migrations, missing, newer, cluster }: DatabaseStatus) {
  return {
    environment: installation?.environment ?? 'none yet: no server has used it',
    postgresql: version,
    bytes: bytes.toLocaleString('en'),
    schema: migrations.at(-1) ?? 'none yet',
    missing: missing.join(', ') || 'nothing',
    ...(newer.length > 0 && { newer: newer.join(', ') }),
    ...(cluster !== undefined && clusterFields(cluster)),
  };
}

function clusterFields({ nodes, shards, undistributed }: Cluster) {
  return { nodes: nodes.join(', '), shards, 'not distributed': undistributed.join(', ') || 'nothing' };
}

export function addDoctor(program: Command, context: CommandContext): void {
  const doctor = program
    .command('doctor')
    .description(
      'check whether a server would start with these settings; changes nothing, exits with 1 if a check fails',
    )
    .option('--json', 'print JSON');
  worksOnStore(doctor, { context, settings: settingNames }, async ({ env, output }) => {
    const { checkServer } = await load.doctor();
    await printChecks(checkServer(env), { output, context });
  });
}
