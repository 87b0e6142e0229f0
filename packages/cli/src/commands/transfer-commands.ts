// opentill export and import: write and read a store as JSON lines.

import type { Command } from 'commander';
import { collected, oneOf } from '../arguments.ts';
import { environmentOf, withSettings } from '../setting-flags.ts';
import type { Surroundings } from '../surroundings.ts';
import { storeSettings } from './store-commands.ts';

interface ExportOptions {
  readonly app?: readonly string[];
  readonly output?: string;
}

export function addExport(program: Command, surroundings: Surroundings): void {
  const command = withSettings(
    program
      .command('export')
      .description('write a consistent snapshot of the store as JSON lines; servers may keep running')
      .option('--app <package-name>', 'only this app; can be repeated', collected)
      .option('--output <file>', 'a file, created when the export is complete; by default standard output'),
    storeSettings.filter((name) => name !== 'OPENTILL_ENVIRONMENT'),
  );
  command.action(async ({ app, output }: ExportOptions) => {
    const { runExport } = await import('../store/export.ts');
    const env = environmentOf(command, storeSettings, surroundings.env);
    await runExport(surroundings, { env, packageNames: app, file: output });
  });
}

interface ImportOptions {
  readonly fromEnvironment?: 'sandbox' | 'production';
  readonly newInstallation?: true;
  readonly json?: boolean;
}

export function addImport(program: Command, surroundings: Surroundings): void {
  const command = withSettings(
    program
      .command('import')
      .argument('[file]', 'the export file; by default standard input')
      .description('import apps that the store does not have from an export, all of them or nothing')
      .option(
        '--from-environment <environment>',
        'accept an export of the other environment: sandbox or production',
        oneOf('sandbox', 'production'),
      )
      .option(
        '--new-installation',
        'make the database a copy, for which tokens of the original are not valid; it must have no apps',
      )
      .option('--json', 'print JSON'),
    storeSettings,
  );
  command.action(async (file: string | undefined, options: ImportOptions) => {
    const { runImport } = await import('../store/import.ts');
    const env = environmentOf(command, storeSettings, surroundings.env);
    const { fromEnvironment, newInstallation: isNewInstallation = false, json } = options;
    await runImport(surroundings, { env, file, fromEnvironment, isNewInstallation, json });
  });
}
