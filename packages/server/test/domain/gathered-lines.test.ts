import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatheredLines } from '../../src/runtime/gathered-lines.ts';

function gather(): { lines: ReturnType<typeof gatheredLines>; passedOn: string[] } {
  const passedOn: string[] = [];
  return { lines: gatheredLines((text) => passedOn.push(text)), passedOn };
}

test('all lines are passed on, as they came and in their order, whatever their length and characters', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.record({ text: fc.constantFrom('a', 'ß', '€', '😀'), times: fc.integer({ min: 0, max: 70_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (written) => {
      const { lines, passedOn } = gather();
      const texts = written.map((each) => (typeof each === 'string' ? each : each.text.repeat(each.times)));
      for (const text of texts) lines.write(text);
      lines.flush();
      expect(passedOn.join('') === texts.join('')).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('lines wait for others until the next one may not fit, and a flush passes them on once', () => {
  const { lines, passedOn } = gather();
  const line = 'x'.repeat(10_000);
  for (let count = 0; count < 4; count += 1) lines.write(line);
  expect(passedOn).toEqual([]);
  lines.write(line);
  expect(passedOn).toEqual([line.repeat(4)]);
  lines.flush();
  lines.flush();
  expect(passedOn).toEqual([line.repeat(4), line]);
});
