// Runs exports and imports in memory.

import { Buffer } from 'node:buffer';
import type { ClientConfig } from 'pg';
import { afterEach, beforeAll, expect } from 'vitest';
import type { Environment } from '../../../packages/server/src/domain/identifiers.ts';
import { exportStore } from '../../../packages/server/src/operations/transfer/export-store.ts';
import { jsonSource } from '../../../packages/server/src/operations/transfer/import-source.ts';
import {
  type ImportOptions,
  type ImportReport,
  importStore,
} from '../../../packages/server/src/operations/transfer/import-store.ts';
import { secureRandomness } from '../../../packages/server/src/runtime/randomness.ts';
import { StartProblem } from '../../../packages/server/src/runtime/start-problem.ts';
import { setDatabaseTime } from '../test-clock.ts';
import { appLine, exportText } from './lines.ts';

/** Later than all rows of these tests. */
export const testAuthor = { madeBy: 'command:test', time: 1_800_000_000_000 };

/** With the actions without an app, of which each export and import of the whole store is one. */
export async function exportedWithAllActions(
  connection: ClientConfig,
  packageNames?: readonly string[],
): Promise<string> {
  const chunks = exportStore({ connection, packageNames, author: testAuthor });
  return Buffer.concat(await Array.fromAsync(chunks)).toString('utf8');
}

/** The lines of apps only, so that two exports of the same store are equal. */
export async function exported(connection: ClientConfig, packageNames?: readonly string[]): Promise<string> {
  const [header = '', ...lines] = (await exportedWithAllActions(connection, packageNames))
    .trimEnd()
    .split('\n');
  const ofApps = lines.slice(0, -1).filter((line) => !line.includes('"packageName":"",'));
  return [header, ...ofApps, JSON.stringify({ kind: 'end', lines: ofApps.length }), ''].join('\n');
}

/** Imports an app, and expects that no test of the file changes the store. */
export function expectUnchangedStore(connection: ClientConfig): void {
  let before: string;
  beforeAll(async () => {
    await imported(connection, exportText([appLine('com.example.here', 999)]));
    before = await exported(connection);
  });
  afterEach(async () => {
    expect(await exported(connection)).toBe(before);
  });
}

interface TestedOptions extends Partial<ImportOptions> {
  readonly pieceBytes?: number;
  readonly input?: AsyncIterable<Buffer>;
}

/** Passes the text in pieces of `pieceBytes`, which cut lines and characters anywhere. */
export async function imported(
  connection: ClientConfig,
  text: string | Buffer,
  options: TestedOptions = {},
): Promise<Pick<ImportReport, 'imported' | 'leftOut'>> {
  const { imported: counts, leftOut } = await reported(connection, text, options);
  return { imported: counts, leftOut };
}

/** The problems that a check names. */
export async function checked(
  connection: ClientConfig,
  text: string | Buffer,
  options: TestedOptions = {},
): Promise<readonly string[]> {
  return (await reported(connection, text, { ...options, isCheck: true })).problems;
}

/** The problems of an app at an instant when another database imports it. */
export async function problemsElsewhere(
  { from, to }: { readonly from: ClientConfig; readonly to: ClientConfig },
  packageName: string,
  { time, environment = 'sandbox' }: { readonly time: number; readonly environment?: Environment },
): Promise<readonly string[]> {
  const options = { environment, fromEnvironment: environment };
  await setDatabaseTime(to, time);
  return await checked(to, await exported(from, [packageName]), options);
}

export async function reported(
  connection: ClientConfig,
  text: string | Buffer,
  {
    pieceBytes = 1_000,
    input = piecesOf(Buffer.from(text), pieceBytes),
    source = jsonSource(input),
    ...options
  }: TestedOptions = {},
): Promise<ImportReport> {
  return await importStore({
    source,
    connection,
    environment: 'sandbox',
    fromEnvironment: 'sandbox',
    isNewInstallation: false,
    isCheck: false,
    randomness: { ...secureRandomness, bytes: (count) => Buffer.alloc(count, 7) },
    author: testAuthor,
    signal: new AbortController().signal,
    ...options,
  });
}

/** The message of an import that is rejected. */
export async function refusal(
  connection: ClientConfig,
  text: string | Buffer,
  options: TestedOptions = {},
): Promise<string> {
  const result = await imported(connection, text, options).catch((error: unknown) => error);
  if (result instanceof StartProblem) return result.message;
  throw new Error('The import was not rejected.', { cause: result });
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
