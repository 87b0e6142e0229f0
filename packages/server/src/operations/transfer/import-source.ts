// Where the lines of an import come from, and the source of an export's JSON lines.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Place } from '../../store/transfer/import-problems.ts';

/** The length of the SHA-256 of a client secret. An app without a secret has random bytes, which no secret has. */
export const secretHashBytes = 32;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A line has a problem if it cannot be read. Its object is undefined if it is something else in JSON. */
export type SourceLine =
  | { readonly place: Place; readonly object: JsonObject | undefined }
  | { readonly place: Place; readonly problem: string };

export interface ImportSource {
  /** The lines from the first to the last of an export. Those of a chunk are written together. */
  readonly chunks: () => AsyncIterable<readonly SourceLine[]>;
  /** Identifies the bytes that were read. */
  readonly digest: () => string;
  /** The places of rows, by `rowName`; undefined if only one pass is possible. */
  readonly findRows?: (rows: ReadonlySet<string>) => Promise<ReadonlyMap<string, Place>>;
}

/** JSON lines, whose pieces are chunks. */
export function jsonSource(input: AsyncIterable<Buffer>): ImportSource {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const piece of input) {
      hash.update(piece);
      yield piece;
    }
  }
  return {
    async *chunks() {
      for await (const lines of textLines(hashed())) yield lines.flatMap(readLine);
    },
    digest: () => hash.digest('hex'),
  };
}

/** Empty lines are skipped. */
function readLine(line: TextLine): SourceLine[] {
  const place = { number: line.number, name: `Line ${line.number}` };
  if ('problem' in line) return [{ place, problem: line.problem }];
  // An editor may have added a byte order mark.
  const text = line.number === 1 ? line.text.replace(/^\ufeff/, '') : line.text;
  return text.trim() === '' ? [] : [{ place, object: parseObject(text) }];
}

/** Undefined for anything other than a JSON object. */
function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The longest line of an export is a delivery: 20 responses of 1 KB, with each byte escaped. */
export const lineBytesMax = 262_144;

/** Numbered from 1; an invalid line has a problem instead of a text. */
export type TextLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const lineFeed = 0x0a;

/** Yields the lines that each chunk completes, and at the end a last line without a line feed. */
export async function* textLines(input: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let number = 0;
  const lineOf = (bytes: Buffer): TextLine => {
    number += 1;
    if (bytes.length > lineBytesMax) return { number, problem: `longer than ${lineBytesMax} bytes` };
    return isUtf8(bytes) ? { number, text: bytes.toString() } : { number, problem: 'not UTF-8' };
  };
  let partial = Buffer.alloc(0);
  for await (const chunk of input) {
    // Keep one byte more than allowed of a line that is too long.
    if (partial.length > lineBytesMax && !chunk.includes(lineFeed)) continue;
    const bytes = Buffer.concat([partial, chunk]);
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      lines.push(lineOf(bytes.subarray(start, end)));
      start = end + 1;
    }
    partial = bytes.subarray(start, start + lineBytesMax + 1);
    yield lines;
  }
  if (partial.length > 0) yield [lineOf(partial)];
}
