// Executes every code block of the documents: shell, SQL and programs run against a real server, and the responses shown
// have the fields of the received ones (CONTRIBUTING.md, "Documents").

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, glob, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { diagramSvg } from '../../../../site/diagram.ts';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import { type CodeBlock, codeBlocksOf, jsonOf } from '../../../../test/support/documents/code-blocks.ts';
import { freePort } from '../../../../test/support/documents/free-port.ts';
import { freshDatabase, untilAvailable, useForFile } from '../../../../test/support/harness.ts';
import { outputOf } from '../../../../test/support/process-output.ts';
import { blockMark, modulePath, pagePattern, pageScript } from './page-script.ts';
import { shapeProblems } from './shape.ts';
import { type Site, startSite } from './site.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const programs = fileURLToPath(new URL('.', import.meta.url));

/** A folder in whose node_modules packages were installed from a registry, instead of those of the checkout. */
const fromRegistry = process.env['INSTALLED_PACKAGES'];
const installed = fromRegistry ?? root;

const pages = (await Array.fromAsync(glob(pagePattern, { cwd: root }))).toSorted();
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));

/** Pages whose blocks a separate test executes, because they need a special server. */
const executedElsewhere: Readonly<Record<string, string>> = {
  'docs/conformance.md': 'packages/conformance/test/documentation.test.ts',
};
const executedPages = pages.filter(
  (page) => /^ *```(?:sh|bash|js|ts|sql)\b/m.test(texts.get(page) ?? '') && !(page in executedElsewhere),
);

/** The exports of a module in pages/, such as pages/client.ts for docs/client.md. */
interface PageModule {
  /** Variables that the programs of the page use, by name; evaluated in the program. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Creates what the page needs, and returns variables for its shell. */
  readonly prepare?: (site: Site, folder: string) => Promise<Readonly<Record<string, string>>>;
}

const site = await useForFile(startSite(fromRegistry));
const backendPort = await freePort();

/** Replaces the addresses and names on a page by those of its reader. */
function ofReader(text: string): string {
  return text
    .replaceAll('http://127.0.0.1:8080', site.publicUrl)
    .replaceAll('http://127.0.0.1:8081', site.operatorUrl)
    .replaceAll(/(?:https:\/\/)?(?:iap\.example\.com|api\.store\.example)/g, site.publicUrl)
    .replaceAll(/postgresql:\/\/[^\s'"]*\w+\.internal[^\s'"]*/g, '$PAGE_DATABASE_URL')
    .replaceAll(/\/var\/lib|\/opt|\/etc(?=\/)/g, '$PAGE_STATE$&')
    .replaceAll('PORT=9000\n', `PORT=${backendPort}\n`)
    .replaceAll('com.example.game', 'com.example.demo');
}

interface Outcome {
  readonly code: number | null;
  readonly stderr: string;
  /** The output of each block, by its line. */
  readonly printed: ReadonlyMap<number, string>;
}

async function run(page: string, blocks: readonly CodeBlock[]): Promise<Outcome> {
  const path = modulePath(programs, page);
  const module = existsSync(path) ? ((await import(path)) as PageModule) : undefined;
  const given = module?.given && { module: path, names: Object.keys(module.given) };
  const token = await site.renew();
  await using database = blocks.some(usesDatabase) ? await freshDatabase() : undefined;
  const folder = await mkdtemp(join(site.scratchFolder, 'page-'));
  await symlink(site.dataFolder, join(folder, '.opentill'));
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  const variables = await untilAvailable(async () => (await module?.prepare?.(site, folder)) ?? {});
  const { script, files } = pageScript(blocks, given);
  for (const { name, content } of files) await writeFile(join(folder, name), content);
  await writeFile(join(folder, 'page.sh'), script);
  const shell = spawn('bash', ['page.sh'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TOKEN: token,
      OPERATOR_KEY: site.operatorKey,
      PAGE_CLIENT_SECRET: site.clientSecret,
      PAGE_NODE: process.execPath,
      PAGE_ROOT: root,
      PAGE_INSTALLED: installed,
      PAGE_PROGRAMS: programs,
      PAGE_OPERATOR_URL: site.operatorUrl,
      ...(database && { PAGE_DATABASE_URL: databaseUrlOf(database.connection) }),
      PAGE_STATUSES: join(folder, 'statuses'),
      ...variables,
    },
  });
  const output = outputOf(shell);
  const [code] = await once(shell, 'close');
  const [, ...parts] = `${output.stdout}\n`.split(blockMark);
  const printed = new Map(parts.map((part) => [Number.parseInt(part, 10), part.replace(/^\d+\n/, '')]));
  return { code, stderr: output.stderr, printed };
}

/** The responses on a page that differ from those that the preceding block received. */
function wrongResponses(blocks: readonly CodeBlock[], printed: Outcome['printed']): string[] {
  return blocks.flatMap((block, index) => {
    if (block.language !== 'json') return [];
    const [shown] = jsonOf(block);
    const before = blocks[index - 1];
    if (!block.isRightAfterBlock || before === undefined || !isShell(before)) return [];
    const came = printed
      .get(before.line)
      ?.split('\n')
      .findLast((line) => /^[[{]/.test(line));
    if (came === undefined) return [`line ${block.line}: the block before it prints no JSON`];
    return shapeProblems(shown, JSON.parse(came)).map((problem) => `line ${block.line}: ${problem}`);
  });
}

/** The blocks after whose output a prompt would be in the same line. */
const unfinished = (printed: Outcome['printed']): string[] =>
  [...printed]
    .filter(([, text]) => !/(?:^|\n)\n$/.test(text))
    .map(([line, text]) => `line ${line}: the output does not end with its line: ${text.slice(-80)}`);

const usesDatabase = ({ language, code }: CodeBlock): boolean =>
  language === 'sql' || code.includes('$PAGE_DATABASE_URL');

const isShell = ({ language }: CodeBlock): boolean => language === 'sh' || language === 'bash';

test('each block has a language that is executed, is valid JSON, is a diagram, or is marked as text or YAML', () => {
  for (const page of pages) {
    const text = texts.get(page) ?? '';
    expect(text, page).not.toMatch(/^ *~~~/m);
    for (const block of codeBlocksOf(text, page)) {
      if (block.language === 'json') expect(() => jsonOf(block), `${page}: ${block.line}`).not.toThrow();
      if (block.language === 'mermaid') expect(diagramSvg(block.code)).toMatch(/^<svg .*<\/svg>$/s);
    }
  }
});

test.each(Object.entries(executedElsewhere))('the blocks of %s are executed by %s', async (page, file) => {
  const source = await readFile(join(root, file), 'utf8');
  expect(source).toContain(`test('the commands of ${page} do what the page says'`);
});

/** How many blocks of a page are never executed. */
const unexecuted: Readonly<Record<string, number>> = {
  // Quotes of files, which documents.test.ts compares with the files.
  'docs/adding-an-operation.md': 5,
  // Programs that need a container engine or systemd.
  'docs/deployment.md': 3,
  'docs/events.md': 1,
  // It needs two servers behind a proxy, which test/interop restarts.
  'docs/operating.md': 1,
  'docs/payment-gateway.md': 1,
  // A workflow, which the workflow tests check.
  'docs/quick-start-tests.md': 1,
  // Commands that take an hour, and those that test/registry runs.
  'docs/releasing.md': 2,
  // Both need a cluster, whose suite runs the second one.
  'docs/scaling.md': 2,
  // Statements of DuckDB and psql.
  'docs/store-events.md': 1,
  'docs/webhooks.md': 1,
};

test('no page has more blocks that are not executed than listed here', () => {
  const counted = pages
    .map((page) => [page, texts.get(page)?.match(/^ *```(?:text|yaml)$/gm)?.length ?? 0] as const)
    .filter(([, count]) => count > 0);
  expect(Object.fromEntries(counted)).toEqual(unexecuted);
});

/** The problems of a page. */
async function problemsOf(page: string, text: string): Promise<string[]> {
  const blocks = codeBlocksOf(ofReader(text), page);
  const { code, stderr, printed } = await run(page, blocks);
  if (code === 0) return [...wrongResponses(blocks, printed), ...unfinished(printed)];
  const last = [...printed.keys()].at(-1) ?? 0;
  return [`line ${last}: ${printed.get(last)?.slice(-2_000)}\n${stderr}`];
}

test.each(executedPages)('each code block of %s works as it is', async (page) => {
  expect(await problemsOf(page, texts.get(page) ?? '')).toEqual([]);
});

test('README.md, the quick starts for backends and tests, and the examples can be read in this order in one terminal', async () => {
  const backend = 'docs/quick-start-backend.md';
  const read = ['README.md', backend, 'docs/quick-start-tests.md', 'examples/README.md'];
  expect(await problemsOf(backend, read.map((page) => texts.get(page)).join('\n'))).toEqual([]);
});
