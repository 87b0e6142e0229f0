// Writes the sales of an export as another store has them: the same purchases as CSV files and as JSON lines.

import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

const purchaseColumns = [
  'purchaseId',
  'productId',
  'purchaseTime',
  'buyerId',
  'developerPayload',
  'price',
  'currency',
];
const productColumns = ['productId', 'type', 'price', 'currency'];

type Values = Readonly<Record<string, unknown>>;

interface MovedFiles {
  readonly packageName: string;
  readonly lines: string;
  readonly csv: readonly string[];
}

export async function writeMovedFiles(exported: string, folder: string): Promise<MovedFiles> {
  const pick = (values: Values, columns: readonly string[]) => columns.map((name) => values[name] ?? '');
  const files = { products: join(folder, 'products.csv'), purchases: join(folder, 'purchases.csv') };
  const lines = join(folder, 'moved.ndjson');
  let packageName = '';
  async function* rows(kind: string, columns: readonly string[]): AsyncGenerator<string> {
    yield `${columns.join(',')}\n`;
    for await (const line of linesOf(exported)) {
      if (line['kind'] === kind) yield `${pick(line, columns).join(',')}\n`;
    }
  }
  async function* json(): AsyncGenerator<string> {
    for await (const { kind, ...line } of linesOf(exported)) {
      if (kind === 'app') packageName = String(line['packageName']);
      const columns = kind === 'purchase' ? ['packageName', ...purchaseColumns] : Object.keys(line);
      const isSold = ['opentill', 'app', 'product', 'purchase'].includes(String(kind));
      const values = columns.map((name) => [name, line[name]]);
      if (isSold) yield `${JSON.stringify({ kind, ...Object.fromEntries(values) })}\n`;
    }
    yield '{"kind":"end"}\n';
  }
  await pipeline(rows('product', productColumns), createWriteStream(files.products));
  await pipeline(rows('purchase', purchaseColumns), createWriteStream(files.purchases));
  await pipeline(json(), createWriteStream(lines));
  return { packageName, lines, csv: Object.values(files) };
}

async function* linesOf(file: string): AsyncGenerator<Values> {
  for await (const line of createInterface({ input: createReadStream(file) }))
    yield JSON.parse(line) as Values;
}
