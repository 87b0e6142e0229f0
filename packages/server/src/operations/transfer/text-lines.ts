// Splits a stream of bytes into numbered lines.

import { isUtf8 } from 'node:buffer';

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
    // Of a line that is too long, one byte more than allowed is kept.
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
