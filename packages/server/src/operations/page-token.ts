// The opaque token of the next page of a list: a position in base64url. It is checked but not signed, since a forged
// token only starts the caller's own list at another position.

import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';

export interface PageToken<Position> {
  encode(position: Position): string;
  /** Returns undefined for a text that is not a token of this list. */
  decode(token: string): Position | undefined;
}

/** Tokens of one list; `encode` keeps only the properties of the schema. */
export function pageToken<Schema extends TObject>(schema: Schema): PageToken<Static<Schema>> {
  const shape = Compile(schema);
  const names = Object.keys(schema.properties);
  return {
    encode(position) {
      const values = names.map((name) => (position as Record<string, unknown>)[name]);
      return Buffer.from(JSON.stringify(values)).toString('base64url');
    },
    decode(token) {
      const values = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
      if (!Array.isArray(values) || values.length !== names.length) return undefined;
      const position = Object.fromEntries(names.map((name, index) => [name, values[index]]));
      return shape.Check(position) ? position : undefined;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
