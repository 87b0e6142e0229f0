// Rules that every table of the schema follows, read from the catalog.

import { expect, inject, test } from 'vitest';
import { query } from '../embedded/scratch.ts';

const postgres = inject('postgres');
const connection = { ...postgres, database: inject('migratedDatabase') };

test('each text column of an index is sorted by its bytes', async () => {
  const sortedOtherwise = await query(
    connection,
    `select indexrelid::regclass::text as index, c::regcollation::text as collation
      from pg_index join pg_class on pg_class.oid = indrelid, unnest(indcollation) as c
      where relnamespace = 'public'::regnamespace and c not in (0, '"C"'::regcollation)`,
  );
  expect(sortedOtherwise).toEqual([]);
});
