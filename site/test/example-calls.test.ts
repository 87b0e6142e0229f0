// The example calls of the operation pages.

import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { type ApiReference, apiReferences } from '../api-references.ts';
import { exampleBody, exampleCall, exampleOf } from '../example-call.ts';

const operations = apiReferences.flatMap(({ prefix, operations }) =>
  operations.map((operation) => ({ name: `${prefix}${operation.operationId}`, operation })),
);

test('the parameters and the body of each example call match the contract', () => {
  for (const { name, operation } of operations) {
    const { pathParameters, query, operationId } = operation;
    const body = exampleBody(operation);
    const values = [
      ...Object.entries(pathParameters).map(([name, schema]) => [schema, exampleOf(schema, name)]),
      ...(query === undefined ? [] : [[query, exampleOf(query, operationId)]]),
      ...(body === undefined ? [] : [[operation.body, body]]),
    ];
    for (const [schema, value] of values) expect(Value.Errors(schema as TSchema, value), name).toEqual([]);
  }
  expect(operations.length).toBeGreaterThan(80);
});

test('each example call of the purchase API has the Content-Type that its operation requires', () => {
  const [purchaseApi] = apiReferences;
  const typed = purchaseApi?.operations.filter(({ takesForm }) => takesForm !== true) ?? [];
  expect(typed).toHaveLength(7);
  for (const operation of typed)
    expect(exampleCall(purchaseApi as ApiReference, operation)).toContain(
      "-H 'Content-Type: application/json'",
    );
});
