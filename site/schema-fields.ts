// The fields of a schema of the contract, as rows of a table.

import { fieldKindOf } from '../packages/contract/src/field-kinds.ts';
import type { JsonSchema } from '../packages/contract/src/parameters.ts';
import { cell, table } from './page.ts';

/** A table of all fields, in which `a.b` is a field of a field, and `a[].b` one of each item. */
export function fieldTable(schema: JsonSchema): string {
  return table(['field', 'type', 'meaning'], fieldRows(schema));
}

function fieldRows(schema: JsonSchema, parent = ''): string[][] {
  if (schema.items !== undefined) return fieldRows(schema.items, `${parent}[]`);
  const { properties = {}, required = [] } = objectOf(schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    return [[`\`${path}\``, ...cellsOf(field, required.includes(name))], ...fieldRows(field, path)];
  });
}

/** The type and the meaning of a value. */
export function cellsOf(schema: JsonSchema, isRequired: boolean): string[] {
  const meaning = [schema.description ?? '', valuesOf(schema), ...limitsOf(schema)];
  const text = meaning.filter((part) => part !== '').join(' ');
  return [`${typeOf(schema)}${isRequired ? '' : ', optional'}`, cell(text)];
}

/** A choice of objects as one object: it has the fields of all, and requires those that all require. */
function objectOf(schema: JsonSchema): JsonSchema {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null').map(objectOf);
  if (choices === undefined || choices.some(({ properties }) => properties === undefined)) return schema;
  const fields = choices.flatMap(({ properties = {} }) => Object.entries(properties));
  const properties = [...Map.groupBy(fields, ([name]) => name)].map(([name, same]): [string, JsonSchema] => {
    const distinct = new Map(same.map(([, field]) => [JSON.stringify(field), field]));
    const [first = {}, ...others] = distinct.values();
    return [name, others.length === 0 ? first : choiceOf([first, ...others])];
  });
  const required = properties
    .map(([name]) => name)
    .filter((name) => choices.every((choice) => choice.required?.includes(name)));
  return { properties: Object.fromEntries(properties), required };
}

function choiceOf(schemas: readonly JsonSchema[]): JsonSchema {
  const description = schemas.find((schema) => schema.description !== undefined)?.description;
  return { anyOf: schemas, ...(description !== undefined && { description }) };
}

function typeOf({ type, const: constant, anyOf, items }: JsonSchema): string {
  if (constant !== undefined) return typeof constant;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  return type ?? 'object';
}

function valuesOf({ const: constant, anyOf = [] }: JsonSchema): string {
  const values = [constant, ...anyOf.map((choice) => choice.const)].filter((value) => value !== undefined);
  if (values.length === 0) return '';
  return `${values.length === 1 ? 'Always' : 'One of'} ${values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')}.`;
}

function limitsOf({ minLength, maxLength, minimum, maximum, maxItems, ...schema }: JsonSchema): string[] {
  return [
    rangeOf(minLength, maxLength, ' characters'),
    fieldKindOf(schema) === 'instant' ? '' : rangeOf(minimum, maximum, ''),
    rangeOf(undefined, maxItems, ' items'),
    schema.default === undefined ? '' : `Default: \`${JSON.stringify(schema.default)}\`.`,
  ].filter((limit) => limit !== '');
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined ? '' : `At least ${min}${unit}.`;
  if (min === undefined) return `At most ${max}${unit}.`;
  return min === max ? `${max}${unit}.` : `${min} to ${max}${unit}.`;
}
