// Defines every command with its arguments and options. The code of a command is loaded when it runs, so that --help
// is fast.

import { addConformanceCommand } from '@opentill/conformance/command.ts';
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import { addConsoleCommand } from './commands/console-commands.ts';
import { addGateway } from './commands/gateway-command.ts';
import { addListen } from './commands/listen-command.ts';
import { addRehearse } from './commands/rehearse-command.ts';
import { addDatabaseCommands, addDoctor, addExec, addServe } from './commands/store-commands.ts';
import { addExport, addImport } from './commands/transfer-commands.ts';
import { exitCodesHelp } from './exit-codes.ts';

const settingsHelp = `
Settings are environment variables (docs/settings.md); a flag takes precedence over its variable. A command that
calls a server finds it by OPENTILL_OPERATOR_URL, reads the operator key from OPENTILL_OPERATOR_KEY, from the file that
OPENTILL_OPERATOR_KEY_FILE names, or from the data folder of the server, and trusts the certificates of OPENTILL_CA.
With CLIENT_ID and CLIENT_SECRET instead, commands that developers have too call the developer API at STORE_URL.`;

/** The groups of commands that call a server. */
export const operatorGroups = {
  app: 'create and list apps, change their secrets',
  product: 'create and list the products of an app',
  purchase: 'record, find and void purchases',
  buyer: 'erase the personal data of a buyer',
  subscription: 'show and extend subscriptions, cancel and reactivate auto-payment, settle charges',
  renewals: 'show, pause and resume the renewals of all apps or of one',
  clock: 'read and change the clock of an app, in the sandbox',
  fault: 'inject faults into the requests of an app, in the sandbox',
  statement: 'list and read the statements of an app: its closed months',
  event: 'list or follow the events of an app',
  webhook: 'configure webhooks and list deliveries',
  audit: 'list the actions of operators',
  call: 'call any operation of the operator API by its operationId',
} as const satisfies Record<string, string>;

/**
 * The program never ends the process: an invalid command line throws a CommanderError. The commands that call a server
 * are loaded if `args` names a group of them.
 */
export async function createProgram(context: CommandContext, args: readonly string[]): Promise<Command> {
  const program = new Command('opentill')
    .description('An in-app purchase server: run it, operate it, and test against it.')
    .version(packageJson.version)
    .option(
      '--env-file <file>',
      'before the command: read variables from an environment file of systemd, such as /etc/opentill.env',
    )
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .addHelpText('afterAll', exitCodesHelp)
    .addHelpText('after', settingsHelp);
  addServe(program, context);
  addExec(program, context);
  addDatabaseCommands(program, context);
  addDoctor(program, context);
  addGateway(program, context);
  addExport(program, context);
  addImport(program, context);
  addRehearse(program, context);
  const groups = new Map(
    Object.entries(operatorGroups).map(([name, description]) => [
      name,
      program.command(name).description(description),
    ]),
  );
  const group = (name: string) => groups.get(name) as Command;
  if (args.some((arg) => groups.has(arg))) {
    const { addOperatorCommands } = await import('./operator/operator-commands.ts');
    addOperatorCommands(group, context);
  }
  addListen(program, context);
  addConsoleCommand(program, context);
  addConformance(program, context);
  return program;
}

function addConformance(program: Command, { env, stdout, signal, setExitCode }: CommandContext): void {
  addConformanceCommand(program, {
    env,
    signal,
    setExitCode,
    write: (text) => stdout.write(text),
    colours: stdout.isTTY === true && env['NO_COLOR'] === undefined,
  });
}
