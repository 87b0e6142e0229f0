// Arguments and options for the fields of a schema.

import { fieldKindOf } from '@opentill/contract/field-kinds.ts';
import { Timestamp } from '@opentill/contract/fields.ts';
import { type JsonSchema, jsonSchema } from '@opentill/contract/parameters.ts';
import { spellingsOf } from '@opentill/contract/pasted-text.ts';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { instant, numberFrom, oneOf, wholeNumber } from '../arguments.ts';

/** `keepPreviousForSeconds` is `keep-previous-for`, and the package name in a filter is `app`. */
function flagOf(field: string): string {
  if (field === 'packageName') return 'app';
  if (field === 'operationId') return 'operation';
  return dashed(field.replace(/Seconds$/, ''));
}

const dashed = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A sentence of the contract as a phrase of --help. */
export const phrase = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');

function choicesOf({ anyOf = [] }: JsonSchema): readonly string[] {
  const values = anyOf.map((part) => part.const);
  return values.every((value) => typeof value === 'string') ? values : [];
}

/** The words of the contract, in which the fields of the command are its options. */
export function withFlags(text: string, fields: readonly string[]): string {
  return text.replaceAll(/\b[a-z]+[A-Z]\w+/g, (word) => (fields.includes(word) ? `--${flagOf(word)}` : word));
}

function meaningOf(schema: JsonSchema): string {
  if (schema.description === jsonSchema(Timestamp).description)
    return 'an instant such as 2026-03-15T12:00:00Z, a time without Z or offset in the time zone of the store, or ms since 1970';
  const { description = '' } = schema;
  const unnamed = choicesOf(schema).some((choice) => !description.includes(choice));
  const choices = unnamed ? `one of ${choicesOf(schema).join(', ')}` : '';
  return [phrase(description), choices].filter((text) => text !== '').join('; ');
}

function parserOf(schema: JsonSchema): (text: string) => unknown {
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, anyOf = [] } = schema;
  const choices = choicesOf(schema);
  if (choices.length > 0) return oneOf(...choices);
  const [only] = anyOf.filter((part) => part.type !== 'null');
  if (only !== undefined) return parserOf(only);
  if (fieldKindOf(schema) === 'instant') return instant;
  if (type === 'integer') return wholeNumber(minimum, maximum);
  if (type === 'number') return numberFrom(minimum, maximum);
  if (type !== 'string') return json;
  const allowed = new RegExp(schema.pattern ?? '', 'u');
  return (text) => spellingsOf(text).find((spelling) => allowed.test(spelling)) ?? text;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`Expected JSON: ${(error as Error).message}.`);
  }
}

/** A boolean is a flag without a value. */
export function optionOf(field: string, schema: JsonSchema, isRequired = false): Option {
  const flag = flagOf(field);
  const parse = parserOf(schema);
  const lastWord = dashed(field).split('-').at(-1);
  const word = parse === instant ? 'instant' : parse === json ? 'json' : lastWord;
  const option = new Option(
    schema.type === 'boolean' ? `--${flag}` : `--${flag} <${word}>`,
    meaningOf(schema),
  );
  if (schema.type !== 'boolean') option.argParser(parse);
  return option.makeOptionMandatory(isRequired);
}

export function argumentOf(field: string, schema: JsonSchema, isRequired: boolean): Argument {
  const name = isRequired ? `<${dashed(field)}>` : `[${dashed(field)}]`;
  return new Argument(name, meaningOf(schema)).argParser(parserOf(schema));
}
