// Checks the imported rows of an app against each other. Every table is limited to the app, so that a cluster runs the
// check on one machine.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { keyColumns } from './columns.ts';
import { type TransferKind, transferKinds } from './kinds.ts';

const ImportProblem = Type.Object({ kind: Type.String(), key: Type.String(), problem: Type.String() });
export type ImportProblem = Static<typeof ImportProblem>;

/** SQL that names the rows of a kind by their key, and their problem. */
const problemsOf = ({ kind, tables: [main] }: TransferKind, problem: string, condition: string) =>
  `select '${kind}' as kind, concat_ws(' ', ${keyColumns(main).join(', ')}) as key, ${problem} as problem
    from ${main.table} where ${main.table}.package_name = $1 and ${condition}`;

const referenceChecks = transferKinds.flatMap((kind) =>
  kind.references.map(({ field, table, column }) => {
    const [main] = kind.tables;
    const value = `${main.table}.${main.columns[field]?.column}`;
    const named = `select from ${table} named where named.package_name = $1 and named.${column} = ${value}`;
    const problem = `'${field}: there is no ${table} ' || ${value}`;
    return problemsOf(kind, problem, `${value} is not null and not exists (${named})`);
  }),
);

const kindOf = (name: string) => transferKinds.find(({ kind }) => kind === name) as TransferKind;

const openAttempt = `select from renewal_attempt a where a.package_name = $1
  and a.first_purchase_id = subscription.first_purchase_id and a.next_try_time is not null`;

const ofSubscription = `select from subscription s where s.package_name = $1
  and s.first_purchase_id = renewal_attempt.first_purchase_id`;

/** Renewals retry the attempt of each open charge, so that neither comes without the other. */
const openChargeChecks = [
  problemsOf(
    kindOf('subscription'),
    "'openChargeTime: expected a renewalAttempt with a nextTryTime'",
    `open_charge_time is not null and not exists (${openAttempt})`,
  ),
  problemsOf(
    kindOf('renewalAttempt'),
    "'nextTryTime: expected an openChargeTime of the subscription'",
    `next_try_time is not null and exists (${ofSubscription} and s.open_charge_time is null)`,
  ),
  // An attempt that is paid or unresolved belongs to a subscription that has its month or has ended.
  problemsOf(
    kindOf('renewalAttempt'),
    "'periodIndex: expected a subscription that has this month or has ended, got one that would charge it again'",
    `(outcome = 'paid' or (outcome is null and next_try_time is null))
      and exists (${ofSubscription} and s.due_time is not null and s.last_period_index < renewal_attempt.period_index)`,
  ),
];

// Reads all rows of the app once.
const selectProblem = statement({
  name: 'find_import_problem',
  text: `${[...referenceChecks, ...openChargeChecks].join(' union all ')} limit 1`,
  row: ImportProblem,
});

/** The first row of an app that refers to a missing one, or whose charge contradicts its subscription. */
export async function findImportProblem(
  transaction: Queryable,
  packageName: string,
): Promise<ImportProblem | undefined> {
  return (await transaction.rows(selectProblem, [packageName]))[0];
}
