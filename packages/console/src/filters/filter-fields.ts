// The filters of a list: they are search parameters of the address, with the names of the parameters of the operation.
// A value that the console does not know is ignored. `fields` describes them once:
// `validateSearch: searchOf(fields)` in the route, `<FilterBar fields={fields} search={search} />` on the page.

import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { isoOf } from '../values/date-text.ts';
import { instantOf } from './instant-filter.ts';

export interface FilterField {
  readonly label: string;
  /** The accepted values, with their labels; without them, any text. */
  readonly options?: Readonly<Record<string, string>>;
  /** It has no field among the filters of the page. */
  readonly isElsewhere?: true;
  /** An instant: a date, relative such as -24h, or in ms (instant-filter.ts). */
  readonly isTime?: true;
  /** A day such as 2026-03-15. */
  readonly isDay?: true;
  /** An id that may contain spaces, so that those around it may be part of it. */
  readonly mayHaveSpaces?: true;
  /** The meaning of no value; "any" by default. */
  readonly any?: string;
  /** The filters that a choice removes. */
  readonly replaces?: readonly string[];
}

export type FilterFields = Readonly<Record<string, FilterField>>;

/** The search parameters of a route with these fields. */
export type SearchOf<Fields extends FilterFields> = {
  readonly [Name in keyof Fields | 'pageToken']?: string | undefined;
};

/** The search parameters of any list. */
export interface Search {
  readonly [name: string]: string | undefined;
  readonly pageToken?: string | undefined;
}

/** Checks the search parameters of a route. An ignored value is undefined, because the router keeps absent ones. */
export function searchOf<Fields extends FilterFields>(fields: Fields) {
  return (given: Record<string, unknown>): SearchOf<Fields> => {
    const entries = [...Object.keys(fields), 'pageToken'].map((name) => {
      const value = fieldValue(given[name], fields[name]);
      return [name, isValid(value, fields[name]) ? value : undefined];
    });
    return Object.fromEntries(entries) as SearchOf<Fields>;
  };
}

function fieldValue(given: unknown, field?: FilterField): string {
  const text = typeof given === 'string' ? given : '';
  return field?.mayHaveSpaces === true ? text : withoutSurroundings(text);
}

export function isValid(value: string, field?: FilterField): boolean {
  if (field?.isTime === true) return instantOf(value, 'UTC') !== undefined;
  if (field?.isDay === true) return isoOf(value) === value && !value.includes('T');
  return value !== '' && (field?.options === undefined || Object.hasOwn(field.options, value));
}
