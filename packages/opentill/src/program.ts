// The command line as a whole: every command with its arguments and options. What a command does is loaded when it
// runs, so that --help is quick.

import { addConformanceCommand } from '@opentill/conformance/command.ts';
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { addAppCommands } from './commands/app-commands.ts';
import { addClockCommands } from './commands/clock-commands.ts';
import { addEventCommands } from './commands/event-commands.ts';
import { addFaultCommands } from './commands/fault-commands.ts';
import { addProductCommands } from './commands/product-commands.ts';
import { addPurchaseCommands } from './commands/purchase-commands.ts';
import { addDatabaseCommands, addDoctor, addServe } from './commands/store-commands.ts';
import { addSubscriptionCommands } from './commands/subscription-commands.ts';
import { addExport, addImport } from './commands/transfer-commands.ts';
import { addWebhookCommands } from './commands/webhook-commands.ts';
import { exitCodesHelp } from './exit-codes.ts';
import type { Surroundings } from './surroundings.ts';

const settingsHelp = `
Settings are variables (docs/settings.md); a flag counts before its variable. A command that speaks with a server
takes its operator key from OPENTILL_OPERATOR_KEY, or from the data folder of the server.`;

/** Nothing of it ends the process: a wrong command line throws a CommanderError. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('opentill')
    .description('An in-app purchase server: run it, look after it, and test against it.')
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
  addSubscriptionCommands(program, surroundings);
  addClockCommands(program, surroundings);
  addFaultCommands(program, surroundings);
  addEventCommands(program, surroundings);
  addWebhookCommands(program, surroundings);
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
