// Whether what came has the shape that the contract lists.

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';

const compiled = new Map<TSchema, ReturnType<typeof Compile>>();

export function expectShape(schema: TSchema, value: unknown): void {
  const shape = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, shape);
  // What is wrong takes longer to find than that something is.
  expect(shape.Check(value) || shape.Errors(value)).toBe(true);
}
