// Splits a stream of bytes into numbered lines. A line that is too long is not kept in memory.

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
  const splitter = new LineSplitter();
  for await (const chunk of input) yield splitter.split(chunk);
  yield splitter.end();
}

class LineSplitter {
  #number = 0;
  /** The incomplete line; its bytes are dropped once there are too many. */
  #partial: Buffer[] = [];
  #partialBytes = 0;

  split(chunk: Buffer): TextLine[] {
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  end(): TextLine[] {
    return this.#partialBytes === 0 ? [] : [this.#take()];
  }

  #keep(bytes: Buffer): void {
    this.#partialBytes += bytes.length;
    if (this.#partialBytes > lineBytesMax) this.#partial = [];
    else this.#partial.push(bytes);
  }

  #take(): TextLine {
    const bytes = this.#partial.length === 1 ? (this.#partial[0] as Buffer) : Buffer.concat(this.#partial);
    const isTooLong = this.#partialBytes > lineBytesMax;
    this.#partial = [];
    this.#partialBytes = 0;
    this.#number += 1;
    const number = this.#number;
    if (isTooLong) return { number, problem: `longer than ${lineBytesMax} bytes` };
    if (!isUtf8(bytes)) return { number, problem: 'not UTF-8' };
    return { number, text: bytes.toString('utf8') };
  }
}
