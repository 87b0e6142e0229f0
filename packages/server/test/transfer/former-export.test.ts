// Exports of former versions with every kind of row are imported by this one. They were written by
// `EXPORT=<file> npm run test:upgrade`.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';

const formerExports = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.ndjson'));

test.each(formerExports)('%s of a former version is imported with all of its lines', async (name) => {
  const text = await readFile(join(import.meta.dirname, name), 'utf8');
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
