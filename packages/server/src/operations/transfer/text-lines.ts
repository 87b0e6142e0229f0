// Cuts a stream of bytes into lines with their numbers. A line that is too long is passed over without being
// held, so that memory stays bounded whatever comes in.

import { isUtf8 } from 'node:buffer';

/** The longest line that an export can write is a delivery: 20 answers of 1 KB, each byte of them as an escape. */
export const lineBytesMax = 262_144;

/** Numbered from 1; one that is of no use has a problem instead of a text. */
export type TextLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const lineFeed = 0x0a;

/** Gives the lines that each piece ends, in order; also the last one if no line feed follows it. */
export async function* textLines(input: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  const cutter = new LineCutter();
  for await (const piece of input) yield cutter.cut(piece);
  yield cutter.end();
}

class LineCutter {
  #number = 0;
  /** Of the line whose end has not come yet; its bytes are dropped once there are too many. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  cut(piece: Buffer): TextLine[] {
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      this.#keep(piece.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
    return lines;
  }

  end(): TextLine[] {
    return this.#begunBytes === 0 ? [] : [this.#take()];
  }

  #keep(bytes: Buffer): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > lineBytesMax) this.#begun = [];
    else this.#begun.push(bytes);
  }

  #take(): TextLine {
    const bytes = this.#begun.length === 1 ? (this.#begun[0] as Buffer) : Buffer.concat(this.#begun);
    const isTooLong = this.#begunBytes > lineBytesMax;
    this.#begun = [];
    this.#begunBytes = 0;
    this.#number += 1;
    const number = this.#number;
    if (isTooLong) return { number, problem: `longer than ${lineBytesMax} bytes` };
    if (!isUtf8(bytes)) return { number, problem: 'not UTF-8' };
    return { number, text: bytes.toString('utf8') };
  }
}
