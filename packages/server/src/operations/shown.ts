// Makes responses from the values of a row.

import type { Static, TObject } from 'typebox';

type Values<Shape> = {
  readonly [Name in keyof Shape]-?:
    | Shape[Name]
    | (Record<never, never> extends Pick<Shape, Name> ? null | undefined : never);
};

/** The fields of `schema`, in its order; those that do not apply are null, and are omitted. */
export function shown<Schema extends TObject>(
  schema: Schema,
  values: Values<Static<Schema>>,
): Static<Schema> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = (values as Readonly<Record<string, unknown>>)[name] ?? null;
    if (value !== null) fields[name] = value;
  }
  return fields as Static<Schema>;
}
