// What the values of a field are, where their type does not say it. A schema has its kind under a symbol, which JSON and
// therefore the documents of the APIs do not contain.

/**
 * An `amount` is in the currency next to it, an `instant` in ms since 1970, an `author` is an app or the store to developers,
 * another program may have made an `id`, and `period` and `firstPeriod` are lengths by the calendar.
 */
export type FieldKind = 'amount' | 'instant' | 'day' | 'author' | 'id' | 'period' | 'firstPeriod';

const kindKey = Symbol('kind');

/** The option of a schema that declares its kind. */
export const ofKind = (kind: FieldKind) => ({ [kindKey]: kind });

export const fieldKindOf = (schema: object): FieldKind | undefined =>
  (schema as { readonly [kindKey]?: FieldKind })[kindKey];
