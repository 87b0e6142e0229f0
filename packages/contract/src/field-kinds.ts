// What the values of a field are, where their type does not say it. A schema has its kind under a symbol, which JSON and
// therefore the documents of the APIs do not contain.

/**
 * `amount`: in the currency beside it. `instant`: ms since 1970. `author`: app or store, as developers see it. `id`: another
 * program may have made it. `period`, `firstPeriod`: a length by the calendar.
 */
export type FieldKind = 'amount' | 'instant' | 'day' | 'author' | 'id' | 'period' | 'firstPeriod';

const kindKey = Symbol('kind');

/** The option of a schema that declares its kind. */
export const ofKind = (kind: FieldKind) => ({ [kindKey]: kind });

export const fieldKindOf = (schema: object): FieldKind | undefined =>
  (schema as { readonly [kindKey]?: FieldKind })[kindKey];
