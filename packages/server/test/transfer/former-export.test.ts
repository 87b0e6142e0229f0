// An export of a former version with every kind of row is imported by this one. It was written by
// `EXPORT=<file> npm run test:upgrade`.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';

test('an export of the former version is imported with all of its lines', async () => {
  const text = await readFile(new URL('former-export.ndjson', import.meta.url), 'utf8');
  const kinds = text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => String(JSON.parse(line).kind));
  const lines = Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, of]) => [kind, of?.length]),
  );
  await using database = await freshDatabase();
  const report = await imported(database.connection, text);
  expect(report).toEqual({ imported: lines, leftOut: 0 });
  expect((await exported(database.connection)).split('\n').length).toBeGreaterThan(kinds.length / 2);
});
