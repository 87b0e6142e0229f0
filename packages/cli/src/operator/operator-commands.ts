// All commands that call the operator API of a server.

import { operatorOperations } from '@opentill/contract/operations.ts';
import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import { addEraseCommand } from './buyer-commands.ts';
import { addEventCommands } from './event-commands.ts';
import { addFaultPut } from './fault-put.ts';
import { namedCommands } from './named-commands.ts';
import { addOperatorCommand } from './operator-command.ts';

/** Adds the commands to their groups. */
export function addOperatorCommands(group: (name: string) => Command, surroundings: Surroundings): void {
  addFaultPut(group('fault'), surroundings);
  addEventCommands(group('event'), surroundings);
  addEraseCommand(group('buyer'), surroundings);
  for (const [line, words] of Object.entries(namedCommands)) {
    const [parent = '', name = ''] = line.split(' ');
    addOperatorCommand(group(parent), name, words, surroundings);
  }
  for (const { operationId: operation } of operatorOperations)
    addOperatorCommand(group('call'), operation, { operation }, surroundings);
}
