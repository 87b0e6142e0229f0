// Builds one bash script from the blocks of a page, in the order in which a reader runs them in one terminal.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBlock } from '../../../../test/support/documents/code-blocks.ts';

/** Every document of the project, by its path. */
export const pagePattern = '{*.md,docs/**/*.md,examples/*.md,packages/*/*.md}';

const prelude = fileURLToPath(new URL('./page-prelude.sh', import.meta.url));

interface ScriptFile {
  readonly name: string;
  readonly content: string;
}

export interface PageScript {
  readonly script: string;
  /** The files that the script needs in its folder. */
  readonly files: readonly ScriptFile[];
}

/** Separates the output of the blocks; followed by the line of the block. */
export const blockMark = '\u001e';

const isScript = (block: CodeBlock): boolean => block.language === 'js' || block.language === 'ts';
const isShell = (block: CodeBlock): boolean => block.language === 'sh' || block.language === 'bash';

const isServer = ({ code }: CodeBlock): boolean => code.includes('.listen(');

/** Whether a block is a separate program, because it has a file name or listens. */
const standsAlone = (block: CodeBlock): boolean => block.fileName !== undefined || isServer(block);

/** All other blocks of js and ts are one program, which runs in the place of the last one. */
export function pageScript(
  blocks: readonly CodeBlock[],
  given: { readonly module: string; readonly names: readonly string[] } | undefined,
): PageScript {
  const files: ScriptFile[] = [];
  const programBlocks = blocks.filter((block) => isScript(block) && !standsAlone(block));
  const parts = blocks.flatMap((block) => {
    if (isShell(block)) return [shellPart(block)];
    const name = block.fileName ?? `block-${block.line}.${block.language}`;
    if (block.language === 'sql') {
      files.push({ name, content: block.code });
      return [marked(block, `psql <${name}`)];
    }
    if (!isScript(block)) return [];
    if (standsAlone(block)) {
      files.push({ name, content: block.code });
      return isRunByPage(blocks, name) ? [] : [marked(block, `run_program ${name}`)];
    }
    if (block !== programBlocks.at(-1)) return [];
    files.push({ name: 'page.ts', content: program(programBlocks, given) });
    return [marked(block, 'node page.ts')];
  });
  return { script: [`. '${prelude}'`, ...parts].join('\n'), files };
}

const isRunByPage = (blocks: readonly CodeBlock[], name: string): boolean =>
  blocks.some((block) => isShell(block) && block.code.includes(name));

function marked({ line }: CodeBlock, code: string): string {
  return `printf '\\n${blockMark}${line}\\n'\n${code}`;
}

function shellPart(block: CodeBlock): string {
  const named = [...block.code.matchAll(/\b[45]\d\d\b/g)].map(([status]) => status);
  return marked(block, `${block.code}\nexpect_responses ${named.join(' ')}`);
}

const importLine = /^import [^;]*;\n?/gm;

/** Nests each block in the scope of the previous one, so that it can use and redeclare its variables. */
function program(
  blocks: readonly CodeBlock[],
  given: { readonly module: string; readonly names: readonly string[] } | undefined,
): string {
  const codes = blocks.map(({ code }) => code);
  const imports = new Set(codes.flatMap((code) => code.match(importLine) ?? []).map((line) => line.trim()));
  const lines = [...imports];
  if (given !== undefined) {
    lines.push(`import { given } from ${JSON.stringify(given.module)};`);
    lines.push(`const { ${given.names.join(', ')} } = given;`);
  }
  const scopes = codes.map((code) => `{\n${code.replaceAll(importLine, '')}`);
  lines.push('async function page() {', ...scopes, '}'.repeat(scopes.length), '}', 'await page();');
  return `${lines.join('\n')}\n`;
}

/** The path of the module of a page, such as pages/client.ts for docs/client.md. */
export function modulePath(folder: string, page: string): string {
  const name = page.replace(/^docs\//, '').replaceAll('/', '-');
  return join(folder, 'pages', `${name.replace(/\.md$/, '').toLowerCase()}.ts`);
}
