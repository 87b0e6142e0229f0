import fc from 'fast-check';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { textArray } from '../../src/store/text-array.ts';
import { freshDatabase } from '../harness.ts';

/** All that a text of PostgreSQL can hold. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', 'a', '\n') }),
  fc.constantFrom('', 'NULL', 'null', '"', '\\'),
);

test('PostgreSQL reads every text of the literal as it was', async () => {
  await using database = await freshDatabase();
  const client = new Client(database.connection);
  await client.connect();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(text.map((value) => value.replaceAll('\0', ''))), async (values) => {
        const { rows } = await client.query('select $1::text[] as values', [textArray(values)]);
        expect(rows[0].values).toEqual(values);
      }),
      { numRuns: 300 },
    );
  } finally {
    await client.end();
  }
});
