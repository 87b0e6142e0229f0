// How the rules read a source file: what is code in it, and what it leads to.

import { describe, expect, test } from 'vitest';
import { importsOf, onlyParts, startedByShell } from './source-text.ts';

describe('the scanner', () => {
  test('tells comments, strings and code apart', () => {
    const text = "a /* b */ + 'c // d' + `e $" + "{f({ g: `h` })} i` / 2; // j 'k'\n/[/']/.test(l);";
    const words = (parts: Parameters<typeof onlyParts>[1]) => onlyParts(text, parts).match(/\w/g)?.join('');
    expect(words(['code'])).toBe('afg2testl');
    expect(words(['string'])).toBe('cdehi');
    expect(words(['comment'])).toBe('bjk');
    expect(onlyParts(text, ['code', 'string', 'comment'])).toBe(text);
  });

  test('finds what a shell script starts', () => {
    const text = 'a() { node "$HERE/../b.ts" "$@"; }\nnode "$HERE/c.cjs"\nnode page.ts';
    expect(startedByShell(text)).toEqual(['./../b.ts', './c.cjs']);
  });

  test('finds each form of import', () => {
    const text =
      "import a from 'a';\nimport {\n  b,\n} from './b.ts';\nexport * from 'c';\nimport 'd';\nimport('e');\nnew URL('./f.ts', import.meta.url);\njoin(import.meta.dirname, 'g.cjs');";
    expect(importsOf(text).sort()).toEqual(['./b.ts', './f.ts', './g.cjs', 'a', 'c', 'd', 'e']);
  });
});
