// The credentials of a command, which decide the API that it calls.

import { execVariable } from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from './command-context.ts';

const ofApp = ['CLIENT_ID', 'CLIENT_SECRET'];

const ofOperator = ['OPENTILL_OPERATOR_URL', 'OPENTILL_OPERATOR_KEY', 'OPENTILL_OPERATOR_KEY_FILE'];

const operatorFlags = ['--operator-url', '--operator-key-file', '--data-dir'];

/**
 * Whether the credentials are those of an app. `opentill exec` sets both for one sandbox, in which its commands are the store.
 * @throws UsageProblem for both, because each calls another API, perhaps of another server
 */
export function actsForApp(env: CommandContext['env'], command: Command): boolean {
  if (env[execVariable] !== undefined) return false;
  const isSet = (name: string) => env[name] !== undefined;
  const given = command.options.filter(
    (option) => command.getOptionValue(option.attributeName()) !== undefined,
  );
  const flags = given.flatMap(({ long }) => (operatorFlags.includes(`${long}`) ? [`${long}`] : []));
  const [app, operator] = [ofApp.filter(isSet), [...flags, ...ofOperator.filter(isSet)]];
  if (app.length > 0 && operator.length > 0) {
    throw new UsageProblem(
      `Expected the credentials of an app or those of an operator, got both: ${app.join(', ')} and ${operator.join(', ')}.`,
    );
  }
  return app.length > 0;
}
