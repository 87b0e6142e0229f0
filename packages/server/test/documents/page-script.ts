// One bash script of a page: its blocks in their order, as a reader would go through it in one terminal.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBlock } from './code-blocks.ts';

/** Every document of the project, from its top. */
export const pagePattern = '{*.md,docs/**/*.md,packages/*/*.md}';

const prelude = fileURLToPath(new URL('./page-prelude.sh', import.meta.url));

interface ScriptFile {
  readonly name: string;
  readonly content: string;
}

export interface PageScript {
  readonly script: string;
  /** What has to lie in the folder in which the script runs. */
  readonly files: readonly ScriptFile[];
}

/** Tells the blocks of a script apart in what it prints: followed by the line of the block. */
export const blockMark = '\u001e';

const isScript = (block: CodeBlock): boolean => block.language === 'js' || block.language === 'ts';
const isShell = (block: CodeBlock): boolean => block.language === 'sh' || block.language === 'bash';

const isServer = ({ code }: CodeBlock): boolean => code.includes('.listen(');

/** A program of its own: one that has a file name, or that listens. */
const standsAlone = (block: CodeBlock): boolean => block.fileName !== undefined || isServer(block);

/** All other blocks of js and ts are one program, which runs where the last of them stands. */
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
  return marked(block, `${block.code}\nexpect_answers ${named.join(' ')}`);
}

const importLine = /^import [^;]*;\n?/gm;

/** Each block within the scope of the one before: it sees what that has declared, and may name its own alike. */
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

/** Where the module of a page lies if it has one: docs/client.md has pages/client.ts. */
export function modulePath(folder: string, page: string): string {
  const name = page.replace(/^docs\//, '').replaceAll('/', '-');
  return join(folder, 'pages', `${name.replace(/\.md$/, '').toLowerCase()}.ts`);
}
