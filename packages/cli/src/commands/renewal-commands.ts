// opentill renewals: shows, pauses and resumes the renewals of the store or of one app.

import type { Attempt, Renewals } from '@opentill/client/operator';
import type { Command } from 'commander';
import { type ReasonOptions, reasonFrom, withReason } from '../reason-options.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns, Output } from '../terminal/output.ts';

export const attemptColumns: Columns<Attempt> = {
  month: (attempt) => attempt.periodIndex,
  attempt: (attempt) => attempt.attempt,
  state: ({ state, outcome = state }) => (state === 'conflict' ? state : outcome),
  dueTime: (attempt) => attempt.dueTime,
  tries: (attempt) => attempt.tries,
  nextTryTime: (attempt) => attempt.nextTryTime,
  settledTime: (attempt) => attempt.settledTime,
  purchaseId: (attempt) => attempt.purchaseId,
};

const waitingColumns: Columns<Attempt> = {
  packageName: (attempt) => attempt.packageName,
  firstPurchaseId: (attempt) => attempt.firstPurchaseId,
  ...attemptColumns,
};

export function addRenewalCommands(program: Command, surroundings: Surroundings): void {
  const renewals = program
    .command('renewals')
    .description('show, pause and resume the renewals of all apps or of one');
  const named = (name: string, description: string) =>
    renewals.command(`${name} [package-name]`).description(description);

  callsServer(
    named('show', 'show whether renewals are paused, and what is due'),
    surroundings,
    async ({ client, output, ending }, packageName) => {
      await show(output, await client.getRenewals({ packageName }, ending));
    },
  );

  callsServer<ReasonOptions>(
    withReason(named('pause', 'charge nothing until renewals are resumed')),
    surroundings,
    async ({ client, output, options, ending }, packageName) => {
      await show(output, await client.pauseRenewals({ packageName, ...reasonFrom(options) }, ending));
    },
  );

  callsServer<ReasonOptions>(
    withReason(
      named('resume', 'charge again; "show" counts the subscriptions that would be charged or expire'),
    ),
    surroundings,
    async ({ client, output, options, ending }, packageName) => {
      await show(output, await client.resumeRenewals({ packageName, ...reasonFrom(options) }, ending));
    },
  );
}

/** A pause is one line, as in `pausedBy store`. */
async function show(output: Output, whole: Renewals): Promise<void> {
  const { unresolved, conflicts, pauses, hold, ...fields } = whole;
  const rows = [...unresolved, ...conflicts];
  const pausedBy = pauses.map(({ scope }) => scope).join(', ');
  const reasons = pauses.flatMap(({ reason }) => reason ?? []).join(', ');
  const shown = {
    ...fields,
    ...(pausedBy !== '' && { pausedBy }),
    ...(reasons !== '' && { reasons }),
    ...(hold !== undefined && { heldBecause: hold.message }),
  };
  await output.recordWithList({ whole, fields: shown, rows }, waitingColumns);
}
