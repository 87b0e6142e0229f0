// opentill audit: lists the actions of operators, and checks that none was changed, inserted or removed.

import type { Action } from '@opentill/client/operator';
import type { Command } from 'commander';
import { instant, oneOf } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';
import { addAuditVerify } from './store-commands.ts';

const columns: Columns<Action> = {
  time: (action) => action.time,
  app: (action) => action.packageName,
  order: (action) => action.order,
  operationId: (action) => action.operationId,
  madeBy: (action) => action.madeBy,
  address: (action) => action.clientAddress,
  subject: (action) => action.subject,
  outcome: (action) => action.outcome,
  reason: (action) => action.reasonCode,
  ticket: (action) => action.ticket,
  detail: (action) => action.note ?? action.detail,
};

interface FilterOptions extends ListOptions {
  readonly app?: string;
  readonly operation?: string;
  readonly by?: string;
  readonly subject?: string;
  readonly outcome?: Action['outcome'];
  readonly from?: number;
  readonly to?: number;
}

export function addAuditCommands(program: Command, surroundings: Surroundings): void {
  const audit = program.command('audit').description('list the actions of operators and check their record');

  const list = withLimit(
    audit
      .command('list')
      .description('list who changed what, and which calls were rejected, newest first')
      .option('--app <package-name>', 'only this app')
      .option('--operation <operation-id>', 'only this operation')
      .option('--by <author>', 'only this author, such as operator:helpdesk')
      .option('--subject <id>', 'only calls with this id in their path, such as a purchase id')
      .option(
        '--outcome <outcome>',
        'success, forbidden or conflict',
        oneOf('success', 'forbidden', 'conflict'),
      )
      .option('--from <instant>', 'from this instant on', instant)
      .option('--to <instant>', 'before this instant', instant),
  );
  callsServer<FilterOptions>(list, surroundings, async ({ client, output, options, ending }) => {
    const { app: packageName, operation: operationId, by, subject, outcome, from, to } = options;
    const filter = { packageName, operationId, by, subject, outcome, from, to };
    const actions = await listed(options, output, async (page) => {
      const { actions: entries, ...next } = await client.listActions({ ...filter, ...page }, ending);
      return { entries, ...next };
    });
    await output.list(actions, columns);
  });

  addAuditVerify(audit, surroundings);
}
