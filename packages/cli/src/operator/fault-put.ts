// opentill fault put: injects the faults of a file, or one fault from options.

import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import type { NewFault as Fault } from '@opentill/client/operator';
import { NewFault } from '@opentill/contract/faults.ts';
import { jsonSchema } from '@opentill/contract/parameters.ts';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { callsServer, type ServerCall } from '../server-call.ts';
import { optionOf } from './fields.ts';
import { faults as columns } from './named-commands.ts';

export function addFaultPut(fault: Command, context: CommandContext): void {
  const put = fault
    .command('put')
    .argument('<package-name>', 'the package name of the app', withoutSurroundings)
    .description('replace the faults of an app with one fault or with a list from a file')
    .option('--file <file>', 'a JSON list of faults; - reads standard input');
  const fields = Object.entries(jsonSchema(NewFault).properties ?? {});
  for (const [field, schema] of fields) put.addOption(optionOf(field, schema));
  const work = async (call: ServerCall<Partial<Fault> & { file?: string }>, packageName: string) => {
    const { file, ...options } = call.options;
    const one = Object.fromEntries(fields.map(([field]) => [field, options[field as keyof Fault]]));
    const faults = await faultsOf(file, one as Partial<Fault>, context);
    const put = await call.client.putFaults({ packageName, faults }, call.ending);
    await call.output.list(put.faults, columns);
  };
  callsServer(put, context, work, { forDevelopers: true });
}

/** Returns the list from a file, or the one fault that the other options describe; the server validates it. */
async function faultsOf(
  file: string | undefined,
  one: Partial<Fault>,
  { stdin }: CommandContext,
): Promise<readonly Fault[]> {
  if (file === undefined) {
    if (one.operation === undefined)
      throw new UsageProblem('Use --operation, or --file with a list of faults.');
    return [one as Fault];
  }
  if (Object.values(one).some((value) => value !== undefined)) {
    throw new UsageProblem('Use either --file or the options of one fault, not both.');
  }
  try {
    const list: unknown = JSON.parse(file === '-' ? await textOf(stdin) : await readFile(file, 'utf8'));
    if (Array.isArray(list)) return list as Fault[];
  } catch (error) {
    throw new UsageProblem(`--file: ${(error as Error).message}.`);
  }
  throw new UsageProblem('--file: expected a JSON list of faults.');
}
