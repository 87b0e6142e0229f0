// Checks a line of an import against the columns of its kind, without knowing what the database contains.

import { problemOfPastCurrency } from '@opentill/contract/currencies.ts';
import { PackageName } from '@opentill/contract/fields.ts';
import Type, { type TProperties } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { wholeStore } from '../../domain/identifiers.ts';
import { valueProblems } from '../../domain/text/value-problems.ts';
import type { Table } from '../statements/table.ts';
import type { Place } from './import-problems.ts';
import { type TransferKind, transferKinds } from './kinds.ts';

export interface ImportLine {
  readonly place: Place;
  readonly kind: TransferKind;
  readonly packageName: string;
  /** By field; optional fields may be missing. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface LineProblem {
  readonly problem: string;
}

function shapeOf({ kind, tables, isStoreWide }: TransferKind): Validator {
  const properties: TProperties = {};
  for (const { columns } of tables as readonly Table[]) {
    for (const [field, column] of Object.entries(columns)) {
      const isRequired = column.isRequired && column.isDerived !== true;
      properties[field] = isRequired ? column.schema : Type.Optional(column.schema);
    }
  }
  const packageName = isStoreWide ? Type.Union([PackageName, Type.Literal(wholeStore)]) : PackageName;
  return Compile(
    Type.Object({ kind: Type.Literal(kind), packageName, ...properties }, { additionalProperties: false }),
  );
}

/** The fields with JSON values. */
function jsonFieldsOf({ tables }: TransferKind): string[] {
  const columns = (tables as readonly Table[]).flatMap(({ columns: some }) => Object.entries(some));
  return columns.filter(([, { type }]) => type === 'json').map(([field]) => field);
}

const kindsByName = new Map(
  transferKinds.map(
    (kind) => [kind.kind, { kind, shape: shapeOf(kind), jsonFields: jsonFieldsOf(kind) }] as const,
  ),
);

/** No server writes JSON that is nested deeper, and much deeper JSON would exceed the stack. */
const depthMax = 8;

function isTooDeep(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > depthMax || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

/** Reads the object of a line between the first and the last. */
export function readImportLine(
  place: Place,
  object: Readonly<Record<string, unknown>>,
): ImportLine | LineProblem {
  const known = kindsByName.get(String(object['kind']));
  if (known === undefined) {
    return { problem: `kind: expected one of ${[...kindsByName.keys()].join(', ')}` };
  }
  const { kind, shape, jsonFields } = known;
  if (!shape.Check(object)) return { problem: firstProblem(shape, object) };
  const { kind: _, packageName, ...values } = object;
  const deep = jsonFields.find((field) => isTooDeep(values[field]));
  if (deep !== undefined) return { problem: `${deep}: nested more than ${depthMax} deep` };
  for (const rule of kind.rules) {
    const problem = rule(values);
    if (problem !== undefined) return { problem };
  }
  const { currency } = values;
  const problem =
    typeof currency === 'string' && currency !== '' ? problemOfPastCurrency(currency) : undefined;
  if (problem !== undefined) return { problem: `currency: ${problem}` };
  return { place, kind, packageName: packageName as string, values: kind.complete(values) };
}

/** Describes the first problem without the value, since a line may contain secrets. */
function firstProblem(shape: Validator, object: unknown): string {
  const [first] = valueProblems(shape.Errors(object));
  if (first === undefined) throw new Error('A rejected line has no problem.');
  const path = first.pointer.slice(1).replaceAll('/', '.');
  const within = path === '' ? '' : `${path}: `;
  if (first.kind !== 'unexpected') return `${within}${first.kind}: ${first.names.join(', ')}`;
  const allowed = first.allowed?.map((value) => JSON.stringify(value));
  return `${within}${allowed === undefined ? first.expected : `expected ${allowed.join(' or ')}`}`;
}
