// Parses the code blocks of a document.

const languages = ['sh', 'bash', 'js', 'ts', 'sql', 'json', 'mermaid', 'yaml', 'text'] as const;
type Language = (typeof languages)[number];

export interface CodeBlock {
  readonly language: Language;
  /** A block of js or ts may have a file name, as in "```js gateway.mjs", which makes it a separate program. */
  readonly fileName: string | undefined;
  readonly code: string;
  /** The number of its first line in the document. */
  readonly line: number;
  /** Whether it directly follows the previous block. */
  readonly isRightAfterBlock: boolean;
}

const fence = /^( *)```(?:([^\s`]+)(?: ([^\n]+))?)?\n([\s\S]*?)\n?\1```$/gm;

/** @throws for a block that cannot be executed, because it has no language or an unknown one */
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

/** The values of a json block: one value, or one in each line. */
export function jsonOf({ code }: CodeBlock): unknown[] {
  try {
    return [JSON.parse(code)];
  } catch {
    return code.split('\n').map((line) => JSON.parse(line) as unknown);
  }
}
