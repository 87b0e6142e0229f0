// opentill export and import: write and read a store as JSON lines.

import { load, type runImport } from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import { collectedIds, oneOf } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { locationSettings, storeSettings, worksOnStore } from './store-command.ts';

export function addExport(program: Command, context: CommandContext): void {
  const { stdout, signal } = context;
  const command = program
    .command('export')
    .description('write a consistent snapshot of the store as JSON lines; servers may keep running')
    .option('--app <package-name>', 'only this app; can be repeated', collectedIds)
    .option('--output <file>', 'a file, created when the export is complete; by default standard output');
  const onStore = { context, settings: locationSettings };
  worksOnStore<{ app?: readonly string[]; output?: string }>(command, onStore, async ({ env, options }) => {
    const { runExport } = await load.transfer();
    const { app: packageNames, output: file } = options;
    using progress = await startProgress(context, 'lines');
    await runExport(env, { packageNames, file, stdout, signal, onProgress: progress?.set });
  });
}

interface ImportOptions extends AppOptions {
  readonly csv?: readonly string[];
  readonly fromEnvironment?: 'sandbox' | 'production';
  readonly newInstallation?: true;
  readonly check?: true;
}

/** The facts about an app that the tables of another store lack. */
interface AppOptions {
  readonly package?: string;
  readonly clientId?: string;
  readonly clientSecretSha256?: string;
}

const newSecretsNote =
  'Imported apps have no client secret yet: create their secrets with opentill app rotate-secret.';

export function addImport(program: Command, context: CommandContext): void {
  const command = program
    .command('import')
    .argument('[file]', 'the export file; by default standard input')
    .description(
      'import apps that the store does not have from an export or CSV files, all of them or nothing',
    )
    .option('--csv <files...>', 'import an app from CSV files of products, purchases and subscriptions')
    .option('--package <package-name>', 'the package name of the app in the CSV files')
    .option('--client-id <client-id>', 'its client id; by default its package name')
    .option(
      '--client-secret-sha256 <hash>',
      'SHA-256 of its client secret, in hexadecimal; by default no secret',
    )
    .option(
      '--from-environment <environment>',
      'accept an export of the other environment: sandbox or production',
      oneOf('sandbox', 'production'),
    )
    .option(
      '--new-installation',
      'make the database a copy, for which tokens of the original are not valid; it must have no apps',
    )
    .option('--check', 'import nothing, and print the problems of the export')
    .option('--json', 'print JSON');
  const { stdin, signal, setExitCode } = context;
  const onStore = { context, settings: [...storeSettings, 'OPENTILL_TIME_ZONE'] as const };
  worksOnStore<ImportOptions>(command, onStore, async ({ env, options, output }, file) => {
    const { newInstallation: isNewInstallation = false, check: isCheck = false, fromEnvironment } = options;
    const { runImport } = await load.transfer();
    const from = inputOf(command, file, options);
    using progress = await startProgress(context, 'bytes');
    const given = { from, stdin, fromEnvironment, isNewInstallation, isCheck };
    const done = await runImport(env, { ...given, signal, onProgress: progress?.set });
    progress?.stop();
    if (isCheck) {
      showProblems(done, output);
      if (done.report.problemCount > 0) setExitCode(exitCodes.failed);
      return;
    }
    show(done.report, output);
    const isFromSandbox = done.environment === 'production' && done.fromEnvironment === 'sandbox';
    const isWithoutSecret = options.csv !== undefined && options.clientSecretSha256 === undefined;
    if (isFromSandbox || isWithoutSecret) output.note(newSecretsNote);
  });
}

/** An export, or CSV files with the options of their app. */
function inputOf(command: Command, file: string | undefined, options: ImportOptions) {
  const { csv: files, package: packageName, clientId, clientSecretSha256: clientSecretHash } = options;
  const expect = (problem: string) => command.error(`error: expected ${problem}`);
  if (files === undefined) {
    if (packageName ?? clientId ?? clientSecretHash) expect('--csv with the options of an app');
    return file;
  }
  if (file !== undefined) expect('an export or --csv, not both');
  if (packageName === undefined) return expect('--package with --csv');
  return { files, app: { packageName, clientId, clientSecretHash } };
}

const pluralOf = (kind: string): string => (kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`);

type Import = Awaited<ReturnType<typeof runImport>>;
type ImportReport = Import['report'];

/** What becomes of subscriptions whose next charge would begin too late. */
const overdueOutcomes = {
  sandbox: 'charged here for each period since; production lets them expire',
  production: 'expire here without a charge, which would be too late',
} as const;

/** Problems that are not named are only counted. */
function showProblems({ report, environment }: Import, output: Output): void {
  const { problems, problemCount, overdue } = report;
  if (output.isJson) {
    output.record({ problemCount, problems, overdue });
    return;
  }
  for (const problem of problems) output.line(problem);
  output.record({
    problems: problemCount,
    ...(overdue > 0 && { overdue: `${counted(overdue, 'subscription')}: ${overdueOutcomes[environment]}` }),
  });
}

const counted = (count: number, kind: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? kind : pluralOf(kind)}`;

function show({ imported, leftOut }: ImportReport, output: Output): void {
  if (output.isJson) {
    output.record({ imported, leftOut });
    return;
  }
  const counts = Object.entries(imported).map(([kind, count]) => counted(count, kind));
  output.record({
    imported: counts.length === 0 ? 'nothing' : counts.join(', '),
    ...(leftOut > 0 && {
      'left out': `${leftOut.toLocaleString('en')} lines that this environment, or a store in use, does not take`,
    }),
  });
}
