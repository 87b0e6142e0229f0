// The statements of an import, built once for each kind from its tables. Each filters by one app, so that a cluster
// runs it on one machine.

import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { memoize } from '../../runtime/memoize.ts';
import { Bytes, NoRow, type Statement, statement } from '../connection/statement.ts';
import type { Column, Table } from '../tables/table.ts';
import { linesAsRows, lineText, valueOfField } from './columns.ts';
import type { Reference, TransferKind } from './kinds.ts';

export type KeyRow = Readonly<Record<string, unknown>>;

const FoundLine = Type.Object({ line: Type.String() });
const FoundReference = Type.Object({ value: Type.String() });

export interface KindStatements {
  /** Fails if one of the rows exists: without the check for conflicts an insert is a quarter faster. */
  readonly insertNew: Statement<object>;
  /** Skips rows that exist and returns the keys of the others. */
  readonly insertMissing: Statement<KeyRow>;
  /** Insert into the other tables of the kind, for the rows that the first insert has just written. */
  readonly insertRest: readonly Statement<object>[];
  /** The rows of these keys, each as a line with the fields of the first table. */
  readonly findLines: Statement<Static<typeof FoundLine>>;
  /** For each reference of the kind, find which of the named rows exist. */
  readonly findReferences: readonly Statement<Static<typeof FoundReference>>[];
}

const columnsOf = (table: Table): [string, Column][] => Object.entries(table.columns);

function insertText(table: Table): string {
  const columns = columnsOf(table);
  const mark = table.importMark === undefined ? [] : [table.importMark];
  const names = ['package_name', ...columns.map(([, { column }]) => column), ...mark];
  const values = [
    '$1',
    ...columns.map(([field, column]) => valueOfField(field, column)),
    ...mark.map(() => 'true'),
  ];
  return `insert into ${table.table} (${names.join(', ')})
    select ${values.join(', ')} from ${linesAsRows('$2', [table])}`;
}

function keyShape({ key, columns }: Table): TObject {
  const properties: TProperties = {};
  for (const field of key) properties[field] = columns[field]?.schema ?? Type.Never();
  return Type.Object(properties);
}

/** Columns of the key under the names of their fields; the key of an app is only its package name. */
function returnedKey(table: Table): string {
  const columns = table.key.map((field) => `${table.columns[field]?.column} as "${field}"`);
  return columns.length === 0 ? 'package_name' : columns.join(', ');
}

// Both are served by the primary key of the table, once for each value: without the limit, a plan without statistics
// would read the whole app.
function findLinesText({ kind, tables }: TransferKind): string {
  const [main] = tables;
  const ofKey = main.key.map((field) => `and ${main.table}.${main.columns[field]?.column} = r."${field}"`);
  return `select found.line from ${linesAsRows('$2', [main])}
    cross join lateral (
      select ${lineText(kind, [main])} as line from ${main.table}
      where ${main.table}.package_name = $1 ${ofKey.join(' ')} limit 1) as found`;
}

function findReference({ table, column }: Reference): KindStatements['findReferences'][number] {
  return statement({
    name: `find_imported_${table}`,
    text: `select named.value from unnest($2::text[]) as named (value)
      cross join lateral (
        select from ${table} where package_name = $1 and ${column} = named.value limit 1) as found`,
    row: FoundReference,
  });
}

export const importStatements = memoize((kind: TransferKind): KindStatements => {
  const [main, ...rest] = kind.tables;
  return {
    insertNew: statement({ name: `import_new_${main.table}`, text: insertText(main), row: NoRow }),
    insertMissing: statement({
      name: `import_missing_${main.table}`,
      text: `${insertText(main)} on conflict do nothing returning ${returnedKey(main)}`,
      row: keyShape(main),
    }),
    insertRest: rest.map((table) =>
      statement({
        name: `import_${table.table}`,
        text: `${insertText(table)} on conflict do nothing`,
        row: NoRow,
      }),
    ),
    findLines: statement({
      name: `find_imported_lines_of_${main.table}`,
      text: findLinesText(kind),
      row: FoundLine,
    }),
    findReferences: kind.references.map(findReference),
  };
});

// Served by the primary key.
export const findImportedApp = statement({
  name: 'find_imported_app',
  text: 'select from app where package_name = $1',
  row: NoRow,
});

// Finds those of the subscriptions whose open charge and open attempt do not belong together. Served by the primary key
// and renewal_attempt_open, once for each.
export const findLoneCharges = statement({
  name: 'find_lone_charges',
  text: `select named.id as "firstPurchaseId" from unnest($2::text[]) as named (id)
    cross join lateral (
      select open_charge_time from subscription where package_name = $1 and first_purchase_id = named.id limit 1) as s
    left join lateral (
      select next_try_time from renewal_attempt
      where package_name = $1 and first_purchase_id = named.id and outcome is null limit 1) as a on true
    where (s.open_charge_time is null) <> (a.next_try_time is null)`,
  row: Type.Object({ firstPurchaseId: Type.String() }),
});

// Finds the first of the attempts that is for a month which its subscription lacks and would charge again. Served by the
// primary key, once for each.
export const findAttemptAhead = statement({
  name: 'find_attempt_ahead',
  text: `select named.position
    from unnest($2::text[], $3::integer[]) with ordinality as named (id, period_index, position)
    cross join lateral (
      select last_period_index from subscription
      where package_name = $1 and first_purchase_id = named.id and due_time is not null limit 1) as s
    where named.period_index > s.last_period_index order by named.position limit 1`,
  row: Type.Object({ position: Type.Integer() }),
});

// Skips a row whose counters are high enough. Served by the primary key.
export const raiseCounters = statement({
  name: 'raise_counters',
  text: `update app_counter set event_order = greatest(event_order, $2), void_order = greatest(void_order, $3),
      last_voided_time = greatest(last_voided_time, $4)
    where package_name = $1 and (event_order < $2 or void_order < $3 or last_voided_time < $4)`,
  row: NoRow,
});

/** The counters in the order in which `raiseCounters` takes them. */
export const counterColumns = ['event_order', 'void_order', 'last_voided_time'] as const;

// Served by the primary key.
export const raiseActionHead = statement({
  name: 'raise_action_head',
  text: `update app_counter set action_order = $2, action_head = $3 where package_name = $1 and action_order < $2`,
  row: NoRow,
});

// Only for a database without apps, for which no token has been issued. Reads the one row of installation.
export const adoptInstallation = statement({
  name: 'adopt_installation',
  text: `update installation set installation_id = $1 where not exists (select from app)
    returning installation_id as "installationId"`,
  row: Type.Object({ installationId: Bytes }),
});
