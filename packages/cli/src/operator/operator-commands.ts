// All commands that call the operator API of a server.

import { operatorOperations } from '@opentill/contract/operations.ts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addEraseCommand } from './buyer-commands.ts';
import { addEventCommands } from './event-commands.ts';
import { addFaultPut } from './fault-put.ts';
import { namedCommands } from './named-commands.ts';
import { addOperatorCommand } from './operator-command.ts';
import { addPriceCommand } from './price-commands.ts';
import { statisticWords } from './statistic-words.ts';

/** Adds the commands to their groups. */
export function addOperatorCommands(group: (name: string) => Command, context: CommandContext): void {
  addFaultPut(group('fault'), context);
  addEventCommands(group('event'), context);
  addEraseCommand(group('buyer'), context);
  addPriceCommand(group('subscription'), context);
  for (const [line, words] of Object.entries(namedCommands)) {
    const [parent = '', name = ''] = line.split(' ');
    addOperatorCommand(group(parent), name, words, context);
  }
  for (const { operationId: operation } of operatorOperations)
    addOperatorCommand(
      group('call'),
      operation,
      operation === 'getStatistics' ? statisticWords : { operation },
      context,
    );
}
