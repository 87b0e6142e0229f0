// The code blocks of a document: what a reader would paste, run or read.

const languages = ['sh', 'bash', 'js', 'ts', 'sql', 'json', 'text'] as const;
type Language = (typeof languages)[number];

export interface CodeBlock {
  readonly language: Language;
  /** A block of js or ts may have one, as in "```js gateway.mjs": then it is a program of its own. */
  readonly fileName: string | undefined;
  readonly code: string;
  /** Of its first line in the document. */
  readonly line: number;
  /** Nothing stands between it and the block before. */
  readonly isRightAfterBlock: boolean;
}

const fence = /^( *)```(?:([^\s`]+)(?: ([^\n]+))?)?\n([\s\S]*?)\n?\1```$/gm;

/** @throws for a block that nobody could execute: one without a language, or of another than those above. */
export function codeBlocksOf(text: string, page = 'the page'): CodeBlock[] {
  let endBefore = 0;
  return [...text.matchAll(fence)].map((match) => {
    const [whole, indent = '', name = '', fileName, code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length + 1;
    const language = languages.find((known) => known === name);
    if (language === undefined) {
      throw new Error(`${page}, line ${line}: expected a block of ${languages.join(', ')}, got "${name}"`);
    }
    const isRightAfterBlock = endBefore > 0 && text.slice(endBefore, match.index).trim() === '';
    endBefore = match.index + whole.length;
    const lines = code.split('\n').map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
    return { language, fileName, code: lines.join('\n'), line, isRightAfterBlock };
  });
}

/** What a block of json holds: one value, or one in each line. */
export function jsonOf({ code }: CodeBlock): unknown[] {
  try {
    return [JSON.parse(code)];
  } catch {
    return code.split('\n').map((line) => JSON.parse(line) as unknown);
  }
}
