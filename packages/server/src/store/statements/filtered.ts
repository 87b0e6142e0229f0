// Statements whose conditions depend on the values of a call: the SQL names its values, as in $packageName, and a
// condition whose value is not given is not part of it.

import type { Static, TSchema } from 'typebox';
import { checkedStatement, declareTexts, type Queryable, type Statement } from './statement.ts';

/** The values of filters, undefined for those that are not given, and of other names in the SQL. */
export type FilterValues<Field extends string> = { readonly [Name in Field]?: unknown } & Readonly<
  Record<string, unknown>
>;

interface FilteredDefinition<Row extends TSchema, Field extends string> {
  /** The name of the prepared statements, which is followed by a digit for each filter: 1 if it is given. */
  readonly name: string;
  readonly row: Row;
  /** The condition of each filter. */
  readonly filters: Readonly<Record<Field, string>>;
  /** `where` returns the given conditions, or those among some filters. */
  readonly text: (where: (...among: Field[]) => string) => string;
}

export type ReadFiltered<Row, Field extends string> = (
  queryable: Queryable,
  values: FilterValues<Field>,
) => Promise<Row[]>;

interface NamedStatement<Row> extends Statement<Row> {
  /** In the order of the parameters. */
  readonly valueNames: readonly string[];
}

/** Declares a read, with a prepared statement for each combination of filters that calls use. */
export function filtered<Row extends TSchema, Field extends string>({
  name,
  row,
  filters,
  text,
}: FilteredDefinition<Row, Field>): ReadFiltered<Static<Row>, Field> {
  const fields = Object.keys(filters) as Field[];
  const checked = checkedStatement({ name, text: '', row });
  const prepared = new Map<string, NamedStatement<Static<Row>>>();
  const prepare = (combination: string): NamedStatement<Static<Row>> => {
    const isGiven = (field: Field) => combination[fields.indexOf(field)] === '1';
    const where = (...among: Field[]) => {
      const conditions = (among.length === 0 ? fields : among).filter(isGiven).map((field) => filters[field]);
      return conditions.length === 0 ? 'true' : conditions.join(' and ');
    };
    return { ...checked, name: `${name}_${combination}`, ...numbered(text(where)) };
  };
  const combinationOf = (isGiven: (field: Field) => boolean) =>
    fields.map((field) => (isGiven(field) ? '1' : '0')).join('');
  declareTexts(name, () =>
    [undefined, ...fields].map((given) => prepare(combinationOf((field) => field === given)).text),
  );
  return (queryable, values) => {
    const combination = combinationOf((field) => values[field] !== undefined);
    const found = prepared.get(combination) ?? prepare(combination);
    prepared.set(combination, found);
    const parameters = found.valueNames.map((valueName) => {
      if (values[valueName] === undefined) throw new Error(`${found.name} needs the value ${valueName}.`);
      return values[valueName];
    });
    return queryable.rows(found, parameters);
  };
}

/** Replaces the names of values by the numbers of parameters. */
function numbered(named: string): { readonly text: string; readonly valueNames: readonly string[] } {
  const valueNames: string[] = [];
  const text = named.replaceAll(/\$([a-z]\w*)/gi, (_, valueName: string) => {
    if (!valueNames.includes(valueName)) valueNames.push(valueName);
    return `$${valueNames.indexOf(valueName) + 1}`;
  });
  return { text, valueNames };
}
