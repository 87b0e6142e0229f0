// A line of an import, from its text to values that fit into the columns of its kind. What is in the database
// already is not known here.

import { PackageName } from '@opentill/contract/fields.ts';
import Type, { type TProperties } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { valueProblems } from '../../domain/value-problems.ts';
import type { TransferTable } from './columns.ts';
import { type TransferKind, transferKinds } from './kinds.ts';

/** What all lines of an import share in: what they are a line of, and where they came from. */
export interface ImportLine {
  /** From 1, in the file. */
  readonly number: number;
  readonly kind: TransferKind;
  readonly packageName: string;
  /** By field; a field that does not apply is not there. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A line that is of no use, and why. */
export interface LineProblem {
  readonly problem: string;
}

function shapeOf({ kind, tables }: TransferKind): Validator {
  const properties: TProperties = {};
  for (const { columns } of tables as readonly TransferTable[]) {
    for (const [field, { schema, isRequired }] of Object.entries(columns)) {
      properties[field] = isRequired ? schema : Type.Optional(schema);
    }
  }
  return Compile(
    Type.Object(
      { kind: Type.Literal(kind), packageName: PackageName, ...properties },
      { additionalProperties: false },
    ),
  );
}

/** The fields that hold JSON themselves. */
function jsonFieldsOf({ tables }: TransferKind): string[] {
  const columns = (tables as readonly TransferTable[]).flatMap(({ columns: some }) => Object.entries(some));
  return columns.filter(([, { type }]) => /^jsonb?$/.test(type)).map(([field]) => field);
}

const kindsByName = new Map(
  transferKinds.map(
    (kind) => [kind.kind, { kind, shape: shapeOf(kind), jsonFields: jsonFieldsOf(kind) }] as const,
  ),
);

/** No server writes JSON that is nested deeper; far more of it than this could not be written at all. */
const depthMax = 8;

function isTooDeep(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > depthMax || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

/** Reads the object of a line that is neither the first nor the last one. */
export function readImportLine(
  number: number,
  object: Readonly<Record<string, unknown>>,
): ImportLine | LineProblem {
  const known = typeof object['kind'] === 'string' ? kindsByName.get(object['kind']) : undefined;
  if (known === undefined) {
    return { problem: `kind: expected one of ${[...kindsByName.keys()].join(', ')}` };
  }
  const { kind, shape, jsonFields } = known;
  if (!shape.Check(object)) return { problem: firstProblem(shape, object) };
  const { kind: _, packageName, ...values } = object;
  const deep = jsonFields.find((field) => isTooDeep(values[field]));
  const problem = deep === undefined ? kind.rule(values) : `${deep}: nested more than ${depthMax} deep`;
  if (problem !== undefined) return { problem };
  return { number, kind, packageName: packageName as string, values };
}

/** The first thing that is wrong. The value itself is not repeated: a line may hold secrets. */
function firstProblem(shape: Validator, object: unknown): string {
  const [first] = valueProblems(shape.Errors(object));
  if (first === undefined) throw new Error('A line that is refused has no problem.');
  const path = first.pointer.slice(1).replaceAll('/', '.');
  const within = path === '' ? '' : `${path}: `;
  if (first.kind !== 'unexpected') return `${within}${first.kind}: ${first.names.join(', ')}`;
  const allowed = first.allowed?.map((value) => JSON.stringify(value));
  return `${within}${allowed === undefined ? first.expected : `expected ${allowed.join(' or ')}`}`;
}
