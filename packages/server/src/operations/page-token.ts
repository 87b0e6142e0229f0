// The opaque token that carries a list from one page to the next: a position in base64url. It is not
// signed, since a made-up one only begins the same caller's own list elsewhere; what it holds is checked.

import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';

export interface PageToken<Position> {
  encode(position: Position): string;
  /** Undefined for a text that no page gave. */
  decode(token: string): Position | undefined;
}

/** Tokens of one list. `encode` keeps the properties of the schema and drops all others. */
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
