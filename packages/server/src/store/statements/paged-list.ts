// Lists that are read in pages: each page starts after the position of the last row of the previous one.

import type { Static, TObject, TSchema } from 'typebox';
import { type FilterValues, filtered } from './filtered.ts';
import type { Queryable } from './statement.ts';

export interface PageRequest<Position> {
  /** The last position of the previous page. */
  readonly after: Position | undefined;
  readonly limit: number;
}

/** `next` is set while there may be more rows; a page may have fewer rows than its limit, even none. */
export interface Page<Row, Position = Row> {
  readonly rows: readonly Row[];
  readonly next: Position | undefined;
}

/** A page from up to `limit + 1` rows: the extra row is not shown, and means that there is a next page. */
export function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  const listed = rows.slice(0, limit);
  return { rows: listed, next: rows.length > limit ? listed.at(-1) : undefined };
}

/**
 * One page of several lists, newest first, that are read from the same position, whose fields are in their order; a row of two
 * lists is in it once.
 */
export function joinedPage<Position extends object, Row extends Position>(
  fields: readonly (keyof Position)[],
  pages: readonly Page<Row, Position>[],
  limit: number,
): Page<Row, Position> {
  const compare = (left: Position, right: Position): number => {
    const different = fields.find((name) => left[name] !== right[name]);
    return different === undefined ? 0 : left[different] > right[different] ? -1 : 1;
  };
  // What follows the end of one page may come before the rows of another.
  const [end] = pages.flatMap(({ next }) => next ?? []).toSorted(compare);
  const rows = pages
    .flatMap((page) => page.rows)
    .filter((row) => end === undefined || compare(row, end) <= 0)
    .toSorted(compare)
    .filter((row, index, sorted) => compare(row, sorted[index - 1] ?? ({} as Row)) !== 0);
  return rows.length > limit ? { rows: rows.slice(0, limit), next: rows[limit - 1] } : { rows, next: end };
}

/** Rows that one page scans for filters that no index serves: some tens of ms. */
const scannedRowsMax = 10_000;

interface ListOrder {
  /** The columns of the order by the fields of the position. */
  readonly order: Readonly<Record<string, string>>;
  readonly direction: 'asc' | 'desc';
  /**
   * The index column before the order, and its value: as a part of each comparison, it makes a generic plan use this
   * index.
   */
  readonly lead?: readonly [column: string, value: string];
}

interface ListDefinition<Row extends TSchema, Position extends TObject, Field extends string>
  extends ListOrder {
  readonly name: string;
  readonly row: Row;
  /** The fields of a row that are its position. */
  readonly position: Static<Row> extends Static<Position> ? Position : never;
  readonly order: Readonly<Record<keyof Static<Position>, string>>;
  /** The condition of each filter (filtered.ts). */
  readonly filters: Readonly<Record<Field, string>>;
  /** The statement with its conditions: `where` has those of the `filters` and of the position, `after`. */
  readonly text: (sql: Readonly<Record<'where' | 'filters' | 'after' | 'page', string>>) => string;
  /** Filters that no index serves: with one of them, a page scans a limited number of the rows that match the others. */
  readonly scan?: { readonly table: string; readonly filters: readonly NoInfer<Field>[] };
}

type ReadPage<Row, Position, Field extends string> = (
  queryable: Queryable,
  filter: FilterValues<Field>,
  page: PageRequest<Position>,
) => Promise<Page<Row, Position>>;

/** Declares a list that is read page by page. */
export function pagedList<Row extends TSchema, Position extends TObject, Field extends string>(
  definition: ListDefinition<Row, Position, Field>,
): ReadPage<Static<Row>, Static<Position>, Field> {
  const { name, row, position, order, direction, filters, text, scan } = definition;
  const columns = Object.entries<string>(order);
  const page = `order by ${columns.map(([, column]) => `${column} ${direction}`).join(', ')} limit $limit`;
  const positions = comparisons(definition);
  const fields = Object.keys(filters) as Field[];
  const readRows = filtered<Row, Field | 'after' | 'until'>({
    name: `list_${name}`,
    row,
    filters: { ...filters, ...positions },
    text: (where) => text({ where: where(), filters: where(...fields), after: where('after'), page }),
  });
  const indexed = fields.filter((field) => !scan?.filters.includes(field));
  const readEnd =
    scan &&
    filtered<TObject, Field | 'after'>({
      name: `list_${name}_end`,
      row: position,
      filters: { ...filters, after: positions.after },
      text: (where) => `select ${columns.map(([field, column]) => `${column} as "${field}"`).join(', ')}
      from ${scan.table} where ${where(...indexed, 'after')} ${page} offset $skipped`,
    });
  return async (queryable, filter, { after, limit }) => {
    const values = { ...filter, after, ...prefixed('after', after) };
    const needsScan = scan?.filters.some((field) => filter[field] !== undefined);
    const [end] =
      readEnd && needsScan
        ? await readEnd(queryable, { ...values, limit: 1, skipped: scannedRowsMax - 1 })
        : [];
    const rows = await readRows(queryable, {
      ...values,
      until: end,
      ...prefixed('until', end),
      limit: limit + 1,
    });
    const { rows: listed, next = end } = pageOf(rows, limit);
    return { rows: listed, next: next as Static<Position> | undefined };
  };
}

/** The conditions of the rows after a position, and of those up to another. */
function comparisons({ order, direction, lead }: ListOrder): Record<'after' | 'until', string> {
  const [leadingColumn, leadingValue] = lead === undefined ? ['', ''] : lead.map((part) => `${part}, `);
  const columns = Object.values(order);
  const compare = (operator: string, prefix: string) => {
    const values = Object.keys(order).map((field) => `$${prefix}_${field}`);
    if (columns.length === 1) return `${columns[0]} ${operator} ${values[0]}`;
    // The plain comparison of the first column makes a generic plan use its index.
    return `${columns[0]} ${operator[0]}= ${values[0]}
      and (${leadingColumn}${columns.join(', ')}) ${operator} (${leadingValue}${values.join(', ')})`;
  };
  return direction === 'asc'
    ? { after: compare('>', 'after'), until: compare('<=', 'until') }
    : { after: compare('<', 'after'), until: compare('>=', 'until') };
}

function prefixed(prefix: string, position: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(position ?? {}).map(([field, value]) => [`${prefix}_${field}`, value]),
  );
}
