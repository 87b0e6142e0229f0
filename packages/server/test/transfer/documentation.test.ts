// Compares docs/import-export.md with the code and imports its examples.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { imported } from '../../../../test/support/transfer/transfer.ts';
import { csvKinds } from '../../src/operations/transfer/csv-reading/csv-kinds.ts';
import { lineBytesMax } from '../../src/operations/transfer/import-source.ts';
import { transferKinds } from '../../src/store/transfer/kinds.ts';

const read = (name: string) => readFile(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');
const page = await read('import-export');

test('the documentation lists every kind of line with its fields in order and the maximum line length', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, kind, fields]) => [kind, fields]);
  const expected = transferKinds.map(({ kind, tables }) => [
    kind,
    tables
      .flatMap(({ columns }) => Object.entries(columns))
      .map(([field, column]) => `\`${field}\`${column.isRequired && column.isDerived !== true ? '' : '?'}`)
      .join(', '),
  ]);
  expect(rows).toEqual(expected);
  expect(page).toContain(`at most ${lineBytesMax.toLocaleString('en')} bytes`);
});

test('the documentation lists the columns of each CSV file in order', async () => {
  const rows = [...(await read('moving-a-store')).matchAll(/^\| (\w+)s \| (`.*) \| (`.*) \|$/gm)];
  const listed = (columns: readonly string[]) => columns.map((name) => `\`${name}\``).join(', ');
  expect(rows.map(([, kind, ...columns]) => [kind, ...columns])).toEqual(
    csvKinds.map(({ kind, required, optional }) => [kind, listed(required), listed(optional)]),
  );
});

test('the example lines of the documentation are a valid export', async () => {
  await using database = await freshDatabase();
  const lines = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, block = '']) => block);
  const [first = '', last = '', ...between] = lines;
  const report = await imported(database.connection, [first, ...between, last].join(''));
  expect(report).toMatchObject({ imported: { app: 1, product: 1 } });
});
