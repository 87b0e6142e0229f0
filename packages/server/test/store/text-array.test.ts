import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { textArray } from '../../src/store/statements/statement.ts';

/** Any text that PostgreSQL can store. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', 'a', '\n') }),
  fc.constantFrom('', 'NULL', 'null', '"', '\\'),
);

test('PostgreSQL reads back every text of an array literal unchanged', async () => {
  await using database = await freshDatabase();
  await fc.assert(
    fc.asyncProperty(fc.array(text.map((value) => value.replaceAll('\0', ''))), async (values) => {
      const [row] = await query(database.connection, 'select $1::text[] as values', [textArray(values)]);
      expect(row.values).toEqual(values);
    }),
    { numRuns: 300 },
  );
});
