// opentill audit: lists the actions of operators, and checks that none was changed, inserted or removed.

import type { Action } from '@opentill/client/operator';
import { type Command, InvalidArgumentError } from 'commander';
import { instant, oneOf } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer } from '../server-call.ts';
import { environmentOf, withSettings } from '../setting-flags.ts';
import type { LoggedHead } from '../store/audit.ts';
import type { Surroundings } from '../surroundings.ts';
import { type Columns, Output } from '../terminal/output.ts';
import { storeSettings } from './store-commands.ts';

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

  addVerify(audit, surroundings);
}

interface VerifyOptions {
  readonly app?: string;
  readonly head?: readonly LoggedHead[];
  readonly json?: boolean;
}

/** Adds a head to those that were given before it. */
function loggedHeads(text: string, before: readonly LoggedHead[] = []): readonly LoggedHead[] {
  const [, packageName = '', order = '', hash = ''] =
    /^([^:]*):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === '') throw new InvalidArgumentError('expected app:order:hash as in the log.');
  return [...before, { packageName, order: Number(order), hash }];
}

function addVerify(audit: Command, surroundings: Surroundings): void {
  const verify = withSettings(
    audit
      .command('verify')
      .description(
        'check in the database that no action was changed, inserted or removed; exits with 1 if one was',
      )
      .option('--app <package-name>', 'only the actions of this app')
      .option(
        '--head <app:order:hash...>',
        'heads from the log that the chains must contain; without an app: :order:hash',
        loggedHeads,
      )
      .option('--json', 'print JSON'),
    storeSettings.filter((name) => name !== 'OPENTILL_ENVIRONMENT'),
  );
  verify.action(async ({ app, head = [], ...options }: VerifyOptions) => {
    const { verifyAudit } = await import('../store/audit.ts');
    const env = environmentOf(verify, storeSettings, surroundings.env);
    const isIntact = await verifyAudit(env, {
      packageName: app,
      heads: head,
      output: new Output(surroundings, options),
    });
    if (!isIntact) surroundings.setExitCode(exitCodes.failed);
  });
}
