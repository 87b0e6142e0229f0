// Defines every command with its arguments and options. The code of a command is loaded when it runs, so that --help
// is fast.

import { addConformanceCommand } from '@opentill/conformance/command.ts';
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { addAppCommands } from './commands/app-commands.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { addBuyerCommands } from './commands/buyer-commands.ts';
import { addClockCommands } from './commands/clock-commands.ts';
import { addConsoleCommand } from './commands/console-commands.ts';
import { addEventCommands } from './commands/event-commands.ts';
import { addFaultCommands } from './commands/fault-commands.ts';
import { addProductCommands } from './commands/product-commands.ts';
import { addPurchaseCommands } from './commands/purchase-commands.ts';
import { addRenewalCommands } from './commands/renewal-commands.ts';
import { addDatabaseCommands, addDoctor, addServe } from './commands/store-commands.ts';
import { addSubscriptionCommands } from './commands/subscription-commands.ts';
import { addExport, addImport } from './commands/transfer-commands.ts';
import { addWebhookCommands } from './commands/webhook-commands.ts';
import { exitCodesHelp } from './exit-codes.ts';
import type { Surroundings } from './surroundings.ts';

const settingsHelp = `
Settings are environment variables (docs/settings.md); a flag takes precedence over its variable. A command that
calls a server reads the operator key from OPENTILL_OPERATOR_KEY, from the file that OPENTILL_OPERATOR_KEY_FILE names,
or from the data folder of the server.`;

/** The program never ends the process: an invalid command line throws a CommanderError. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('opentill')
    .description('An in-app purchase server: run it, operate it, and test against it.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .addHelpText('afterAll', exitCodesHelp)
    .addHelpText('after', settingsHelp);
  addServe(program, surroundings);
  addDatabaseCommands(program, surroundings);
  addDoctor(program, surroundings);
  addExport(program, surroundings);
  addImport(program, surroundings);
  addAppCommands(program, surroundings);
  addProductCommands(program, surroundings);
  addPurchaseCommands(program, surroundings);
  addBuyerCommands(program, surroundings);
  addSubscriptionCommands(program, surroundings);
  addRenewalCommands(program, surroundings);
  addClockCommands(program, surroundings);
  addFaultCommands(program, surroundings);
  addEventCommands(program, surroundings);
  addWebhookCommands(program, surroundings);
  addAuditCommands(program, surroundings);
  addConsoleCommand(program, surroundings);
  addConformance(program, surroundings);
  return program;
}

function addConformance(program: Command, { env, stdout, signal, setExitCode }: Surroundings): void {
  addConformanceCommand(program, {
    env,
    signal,
    setExitCode,
    write: (text) => stdout.write(text),
    colours: stdout.isTTY === true && env['NO_COLOR'] === undefined,
  });
}
