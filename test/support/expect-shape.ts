// Checks that a value has the shape of a schema.

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';

const compiled = new Map<TSchema, ReturnType<typeof Compile>>();

export function expectShape(schema: TSchema, value: unknown): void {
  const shape = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, shape);
  // Collecting the errors is slower than the check itself.
  expect(shape.Check(value) || shape.Errors(value)).toBe(true);
}
