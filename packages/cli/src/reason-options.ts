// The options that say why a command changes something; the audit trail keeps them.

import type { ReasonCode } from '@opentill/contract/actions.ts';
import type { Command } from 'commander';
import { oneOf } from './arguments.ts';

export interface ReasonOptions {
  readonly reasonCode?: ReasonCode;
  readonly note?: string;
  readonly ticket?: string;
}

/** As in the contract, which is not loaded for --help. */
const reasonCodes = [
  'customerRequest',
  'duplicate',
  'fraud',
  'chargeback',
  'malfunction',
  'test',
  'other',
] as const satisfies readonly ReasonCode[];

export function withReason(command: Command): Command {
  return command
    .option('--reason-code <code>', `why: ${reasonCodes.join(', ')}`, oneOf(...reasonCodes))
    .option('--note <text>', 'a note for the audit trail')
    .option('--ticket <number>', 'the support ticket');
}

export function reasonFrom({ reasonCode, note, ticket }: ReasonOptions) {
  return { reasonCode, note, ticket };
}
