import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineBytesMax, type TextLine, textLines } from '../../src/operations/transfer/import-source.ts';

async function cut(pieces: readonly Buffer[]): Promise<TextLine[]> {
  async function* input() {
    yield* pieces;
  }
  return (await Array.fromAsync(textLines(input()))).flat();
}

test('the same lines are read however the bytes are split into chunks', async () => {
  const text = fc.array(fc.constantFrom('a', 'ü', '\u{1f600}', '\n', '\r', ' '), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(8), { maxLength: 40 }), async (characters, sizes) => {
      const whole = characters.join('');
      const bytes = Buffer.from(whole);
      const pieces = [];
      let at = 0;
      for (const size of sizes) {
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      const lines = whole.split('\n');
      // The text after the last line feed is a line unless it is empty.
      if (lines.at(-1) === '') lines.pop();
      const expected = lines.map((line, index) => ({ number: index + 1, text: line }));
      expect(await cut([...pieces, bytes.subarray(at)])).toEqual(expected);
    }),
  );
});

test('a line of the maximum length is read and one byte more is reported, in one chunk or several', async () => {
  const longest = Buffer.alloc(lineBytesMax, 'a');
  const tooLong = Buffer.concat([longest, Buffer.from('a')]);
  const lineFeed = Buffer.from('\n');
  const halves = (line: Buffer) => [line.subarray(0, 40_000), line.subarray(40_000)];
  const problem = `longer than ${lineBytesMax} bytes`;
  for (const pieces of [
    [longest, lineFeed, tooLong, lineFeed, Buffer.from('b')],
    [...halves(longest), lineFeed, ...halves(tooLong), lineFeed, Buffer.from('b\n')],
  ]) {
    expect(await cut(pieces)).toEqual([
      { number: 1, text: 'a'.repeat(lineBytesMax) },
      { number: 2, problem },
      { number: 3, text: 'b' },
    ]);
  }
});

test('invalid UTF-8 is reported for its line only', async () => {
  expect(await cut([Buffer.from([0x61, 0x0a, 0xff, 0x0a, 0x62])])).toEqual([
    { number: 1, text: 'a' },
    { number: 2, problem: 'not UTF-8' },
    { number: 3, text: 'b' },
  ]);
});
