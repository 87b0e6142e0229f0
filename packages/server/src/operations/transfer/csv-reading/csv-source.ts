// The app of another store as the source of an import: CSV files, which become the lines of an export.

import { createHash } from 'node:crypto';
import type { Environment } from '../../../domain/identifiers.ts';
import type { Randomness } from '../../../runtime/randomness.ts';
import { formatVersion } from '../../../store/transfer/header.ts';
import { type Place, rowName } from '../../../store/transfer/import-problems.ts';
import { transferKinds } from '../../../store/transfer/kinds.ts';
import { type ImportSource, type SourceLine, secretHashBytes } from '../import-source.ts';
import { csvKinds } from './csv-kinds.ts';
import { openTables, rowsOf, type SourceFile } from './csv-tables.ts';
import { MovedLines } from './moved-lines.ts';

/** The app, none of whose tables has these. */
export interface MovedApp {
  readonly packageName: string;
  readonly clientId?: string | undefined;
  /** SHA-256 in hexadecimal; without one, the app has no secret. */
  readonly clientSecretHash?: string | undefined;
}

interface CsvOptions {
  readonly app: MovedApp;
  readonly environment: Environment;
  readonly timeZone: string;
  readonly now: number;
  readonly randomness: Randomness;
}

/** @throws StartProblem for files with other columns. */
export async function csvSource(files: readonly SourceFile[], options: CsvOptions): Promise<ImportSource> {
  const digests = new Map<string, string>();
  const tables = await openTables(files.map((file) => hashed(file, digests)));
  async function* chunks(): AsyncGenerator<readonly SourceLine[]> {
    const { app, environment, timeZone, now } = options;
    const moved = new MovedLines({ packageName: app.packageName, timeZone, now });
    const ofApp = { number: 0, name: `The app ${app.packageName}` };
    yield [
      { place: ofApp, object: { kind: 'opentill', format: formatVersion, environment } },
      { place: ofApp, object: appLine(options) },
    ];
    let number = 0;
    for (const { kind } of csvKinds) {
      for (const table of tables.filter((one) => one.kind === kind)) {
        for await (const rows of rowsOf(table)) {
          yield rows.flatMap((row) => {
            number += 1;
            const place = { number, name: `${table.file.name}, line ${row.line}` };
            if ('problem' in row) return [{ place, problem: row.problem }];
            return moved.read(kind, { place, values: row.values });
          });
        }
      }
    }
    yield [...moved.rest(), { place: ofApp, object: { kind: 'end' } }];
  }
  return {
    chunks,
    digest: () => [...digests].map(([name, digest]) => `${name} ${digest}`).join(', '),
    findRows: (rows) => placesOf(rows, chunks()),
  };
}

function appLine({ app, now, randomness }: CsvOptions) {
  const { packageName, clientId = packageName } = app;
  const { clientSecretHash = randomness.bytes(secretHashBytes).toString('hex') } = app;
  return {
    ...{ kind: 'app', packageName, clientId, clientSecretHash, appNumber: randomness.uint32() },
    ...{ createdAt: now, tokenGeneration: 0, eventOrder: 0, voidOrder: 0, lastVoidedTime: 0 },
  };
}

function hashed({ name, read }: SourceFile, digests: Map<string, string>): SourceFile {
  return {
    name,
    async *read() {
      const hash = createHash('sha256');
      for await (const piece of read()) {
        hash.update(piece);
        yield piece;
      }
      digests.set(name, hash.digest('hex'));
    },
  };
}

async function placesOf(
  rows: ReadonlySet<string>,
  chunks: AsyncIterable<readonly SourceLine[]>,
): Promise<Map<string, Place>> {
  const keys = new Map(transferKinds.map(({ kind, tables: [main] }) => [kind, main.key]));
  const places = new Map<string, Place>();
  for await (const chunk of chunks) {
    for (const line of chunk) {
      const object = 'object' in line ? (line.object ?? {}) : {};
      const kind = String(object['kind']);
      const key = keys.get(kind)?.map((field) => object[field]) ?? [];
      const row = rowName(kind, key.join(' '));
      if (rows.has(row)) places.set(row, line.place);
    }
  }
  return places;
}
