// The rules of CONTRIBUTING.md that a machine can see, held against every file; and each rule against samples
// that break it, so that a rule which has gone blind is noticed.

import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { modulePath, pagePattern } from '../packages/server/test/documents/page-script.ts';
import { biomeFindings } from './tidy/biome-findings.ts';
import { deadFiles } from './tidy/dead-files.ts';
import { layerProblems, type SourceFile } from './tidy/layers.ts';
import {
  fileLinesMax,
  functionLinesMax,
  lengthProblems,
  longFunctionsOfTests,
  namingProblems,
  operationFileProblems,
} from './tidy/naming-and-size.ts';
import { bans, wordingProblems } from './tidy/wording.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

async function filesOf(...patterns: string[]): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(
    glob(patterns, { cwd: root, exclude: (path) => path.includes('node_modules') }),
  );
  const files = paths.sort().map(async (path) => ({ path, text: await readFile(`${root}${path}`, 'utf8') }));
  return Promise.all(files);
}

const scripts = await filesOf(
  'packages/*/{src,test,bin}/**/*.{ts,cjs}',
  'packaging/*.ts',
  'bench/*.ts',
  'test/**/*.ts',
  '*.ts',
);
const shellScripts = await filesOf('packages/*/test/**/*.sh');
const texts = await filesOf(
  'packages/*/src/**/*.sql',
  '*.{md,json}',
  '.ci/*',
  'docs/**/*.md',
  'packages/*/*.json',
);
const sources = scripts.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path));
const tests = scripts.filter(({ path }) => /(?:^|\/)test\//.test(path));
const operationIds = new Set(
  sources
    .filter(({ path }) => /^packages\/contract\/src\/[a-z]+-api\//.test(path))
    .flatMap(({ text }) => /operationId: '(\w+)'/.exec(text)?.[1] ?? []),
);

/** Programs that are started by a command, or by their path, and what a package shows: nothing imports them. */
const programs =
  /^packages\/server\/(?:bin\/.*|src\/(?:embedded\/watcher|testing)\.ts)$|^packages\/client\/src\/(?:index|operator-client|sandbox-client)\.ts$|^packages\/(?:conformance|opentill)\/bin\/.*|^packaging\/(?:(?:pre|post)pack|generate-docs)\.ts$|^bench\/(?:bench|chaos|clock|compare|reference-express|renewals|transfer|webhooks)\.ts$|^vitest\.config\.ts$/;

/** What a page of the documents takes for granted is loaded by the name of the page. */
const ofPages = new Set(
  (await filesOf(pagePattern)).map(({ path }) => modulePath('packages/server/test/documents', path)),
);

describe('every file', () => {
  test('is found at all', () => {
    expect(sources.length).toBeGreaterThan(150);
    expect(tests.length).toBeGreaterThan(30);
    expect(operationIds.size).toBeGreaterThan(20);
  });

  test('of the sources imports only from its own layer and those before it', () => {
    expect(sources.flatMap(layerProblems)).toEqual([]);
  });

  test('of the sources is reached from a program, and of the tests from a test', () => {
    const entries = scripts.map(({ path }) => path).filter((path) => programs.test(path));
    const ofTests = scripts
      .map(({ path }) => path)
      .filter((path) => /\.test\.ts$|\/(?:global-setup|longest-first)\.ts$/.test(path) || ofPages.has(path));
    const dead = deadFiles(scripts, entries).filter((path) => !/(?:^|\/)test\//.test(path));
    expect([...dead, ...deadFiles([...tests, ...shellScripts], ofTests)]).toEqual([]);
  });

  test('has a name that says what it is', () => {
    expect(scripts.flatMap(({ path }) => namingProblems(path, operationIds))).toEqual([]);
  });

  test('named like an operation is about that operation', () => {
    expect(sources.flatMap(operationFileProblems)).toEqual([]);
  });

  test(`has at most ${fileLinesMax} lines`, () => {
    expect(scripts.flatMap(lengthProblems)).toEqual([]);
  });

  test(`of the tests has functions of at most ${functionLinesMax} lines`, () => {
    expect(tests.flatMap(longFunctionsOfTests)).toEqual([]);
  });

  test('holds nothing that must not stand there', () => {
    expect([...scripts, ...shellScripts, ...texts].flatMap(wordingProblems)).toEqual([]);
  });
});

const server = (path: string): string => `packages/server/src/${path}`;
const client = 'packages/client/src/a.ts';
const conformance = 'packages/conformance/src/a.ts';

describe('the rule of layers', () => {
  test.each([
    [server('domain/a.ts'), "import { b } from '../store/b.ts';"],
    [server('domain/a.ts'), "import type { B } from '../runtime/b.ts';"],
    [server('domain/a.ts'), "import { readFile } from 'node:fs/promises';"],
    [server('store/a.ts'), "export { b } from '../operations/b.ts';"],
    [server('operations/a.ts'), "const b = await import('../http/b.ts');"],
    [server('http/a.ts'), "import {\n  type B,\n} from '../config.ts';"],
    [server('http/a.ts'), "import '../embedded/b.ts';"],
    [server('server.ts'), "import { main } from './main.ts';"],
    [server('runtime/a.ts'), "import { b } from '../store/b.ts';"],
    [server('embedded/a.ts'), "import { b } from '../domain/b.ts';"],
    [server('http/a.ts'), "import { b } from '../../test/b.ts';"],
    [server('elsewhere/a.ts'), ''],
    [server('http/a.ts'), "import { b } from '@opentill/client/operator';"],
    [client, "import { b } from '@opentill/contract/b.ts';"],
    [client, "import { type B, c } from '@opentill/contract/b.ts';"],
    [client, "import { b } from 'node:crypto';"],
    [client, "import type { B } from '../../server/src/domain/b.ts';"],
    [client, "import type { B } from 'pg';"],
    [client, "const b = await import('typebox');"],
    [conformance, "import { b } from '../../server/src/domain/b.ts';"],
    [conformance, "import type { B } from '@opentill/server/domain/b.ts';"],
    [conformance, "import { b } from '@opentill/client/operator';"],
    [server('http/a.ts'), "import { b } from '@opentill/conformance/b.ts';"],
    ['packages/cli/src/a.ts', "import { b } from '@opentill/server/cli/b.ts';"],
    ['packages/cli/src/store/a.ts', "import { b } from '@opentill/server/store/b.ts';"],
    ['packages/cli/src/a.ts', "import { b } from '@opentill/contract/b.ts';"],
    [server('main.ts'), "import { b } from '../../opentill/src/b.ts';"],
    ['packages/contract/src/a.ts', "import { b } from 'node:crypto';"],
    ['packages/contract/src/a.ts', "import { b } from '../../server/src/domain/b.ts';"],
  ])('refuses in %s: %s', (path, text) => {
    expect(layerProblems({ path, text })).toHaveLength(1);
  });

  test.each([
    [server('domain/a.ts'), "import { b } from '@opentill/contract/b.ts';\nimport { c } from './c.ts';"],
    [server('store/a.ts'), "import { b } from '../domain/b.ts';\nimport { c } from '../runtime/c.ts';"],
    [server('testing.ts'), "import { b } from '@opentill/client';\nimport { c } from './server.ts';"],
    [server('main.ts'), "import { b } from './embedded/b.ts';\nimport { c } from './server.ts';"],
    ['packages/cli/src/a.ts', "import { b } from '@opentill/client/operator';"],
    ['packages/cli/src/a.ts', "import { b } from '@opentill/contract/limits.ts';"],
    ['packages/cli/src/store/a.ts', "const b = await import('@opentill/server/cli/b.ts');"],
    [client, "import type {\n  B,\n} from '@opentill/contract/b.ts';\nexport type * from './c.ts';"],
    [conformance, "import { b } from '@opentill/contract/b.ts';\nimport { c } from './c.ts';"],
    [conformance, "import { request } from 'node:http';\nimport Value from 'typebox/value';"],
    [client, "export { b } from './b.ts';\nimport type { TSchema } from 'typebox';"],
    [server('http/a.ts'), "// import { b } from '../main.ts';\nconst c = `import '../main.ts'`;"],
  ])('allows in %s: %s', (path, text) => {
    expect(layerProblems({ path, text })).toEqual([]);
  });
});

test('the rule of dead files finds what only a dead file imports', () => {
  const file = (name: string, text = ''): SourceFile => ({ path: server(name), text });
  const files = [
    file('main.ts', "import './a.ts';\nfork(new URL('./b.ts', import.meta.url));"),
    file('a.ts', "new URL('./e.sh', import.meta.url);"),
    file('b.ts'),
    file('c.ts', "import './d.ts';"),
    file('d.ts'),
    file('e.sh', 'node "$FOLDER/f.ts"'),
    file('f.ts'),
    file('g.sh', 'node "$FOLDER/h.ts"'),
    file('h.ts'),
  ];
  const dead = ['c.ts', 'd.ts', 'g.sh', 'h.ts'].map(server);
  expect(deadFiles(files, [server('main.ts')])).toEqual(dead);
});

describe('the rule of names', () => {
  test.each([
    server('store/utils.ts'),
    server('http/http-helpers.ts'),
    server('store/purchase-service.ts'),
    server('operations/types.ts'),
    server('http/camelCase.ts'),
    server('http/snake_case.ts'),
    server('operations/purchase-api/getNothing.ts'),
  ])('refuses %s', (path) => {
    expect(namingProblems(path, operationIds)).toHaveLength(1);
  });

  test('refuses an operation file that is about something else', () => {
    const wrong = [
      { path: 'packages/contract/src/operator-api/getApp.ts', text: 'export const getShop = {};' },
      { path: server('operations/operator-api/getApp.ts'), text: 'export function getShop() {}' },
      {
        path: server('operations/sandbox-api/getApp.ts'),
        text: "import { getApp as operation } from '@opentill/contract/operator-api/getApp.ts';\nexport function getApp() {}",
      },
    ];
    expect(wrong.flatMap(operationFileProblems)).toHaveLength(wrong.length);
  });
});

describe('the rules of length', () => {
  test('refuse the first line too many of a file', () => {
    const file = (lines: number): SourceFile => ({ path: 'a.ts', text: 'line\n'.repeat(lines) });
    expect(lengthProblems(file(fileLinesMax))).toEqual([]);
    expect(lengthProblems(file(fileLinesMax + 1))).toHaveLength(1);
  });

  test.each(["  test('a', () => {", 'async function a(): Promise<void> {', '  ])(\n  async ({ a }) => {'])(
    'refuse the first line too many of: %s',
    (head) => {
      const end = /^\s*/.exec(head.split('\n').at(-1) ?? '')?.[0];
      const text = (lines: number) => `${head}\n${'      x;\n'.repeat(lines)}${end}});\n`;
      expect(longFunctionsOfTests({ path: 'a.ts', text: text(functionLinesMax) })).toEqual([]);
      expect(longFunctionsOfTests({ path: 'a.ts', text: text(functionLinesMax + 1) })).toHaveLength(1);
    },
  );

  test('let a describe be as long as its file', () => {
    const text = (head: string) => `${head}\n${'  x;\n'.repeat(100)}});\n`;
    for (const head of ["describe('a', () => {", "describe.each([\n  1,\n])('a', (one) => {"]) {
      expect(longFunctionsOfTests({ path: 'a.ts', text: text(head) })).toEqual([]);
    }
  });
});

/** For each ban a text that breaks it; that none is forgotten is a test of its own. */
const samples: readonly (readonly [what: string, path: string, text: string])[] = [
  ['Date.now', server('store/a.ts'), 'const now = Date.now();'],
  ['new Date()', server('http/a.ts'), 'const now = `at $' + '{new Date()}`;'],
  ['Math.random', server('domain/a.ts'), 'return Math.random();'],
  ['randomness', server('store/a.ts'), "import { randomBytes } from 'node:crypto';"],
  ['a timer', server('embedded/a.ts'), "import { setTimeout as wait } from 'node:timers/promises';"],
  ['process.env', server('main.ts'), 'const port = process.env.PORT;'],
  ['a clock or randomness in SQL', server('store/a.ts'), "const text = 'select now()';"],
  [
    'a clock or randomness in a migration',
    server('store/migrations/1.sql'),
    'a timestamp default current_timestamp',
  ],
  ['an identity column or a sequence', server('store/migrations/1.sql'), 'id bigserial, n serial'],
  ['a sleep', 'packages/server/test/a.test.ts', 'await new Promise((end) => setTimeout(end, 100));'],
  ['a pause outside a wait for a condition', 'packages/server/test/a.test.ts', 'await pause(100);'],
  ['a mock of a module', 'packages/server/test/a.test.ts', "vi.mock('../src/a.ts');"],
  ['a test that does not run', 'packages/server/test/a.test.ts', "test.skip('a', () => {});"],
  ['a mark of unfinished work', server('store/a.ts'), '// TODO: the rest'],
  ['history in a comment', server('store/a.ts'), '/** It no longer does that. */'],
  ['a document outside the project', 'docs/a.md', 'As spec.md says.'],
  ['something outside the project', 'docs/a.md', 'As in /work/a, see #12.'],
];

describe('the rule of wording', () => {
  test.each(samples)('refuses %s', (what, path, text) => {
    expect(wordingProblems({ path, text })).toEqual([`${path}:1: ${what}`]);
  });

  test('has a sample for each ban', () => {
    expect(samples.map(([what]) => what)).toEqual(bans.map(({ what }) => what));
  });

  test('looks at code where code is meant', () => {
    const text = "// Date.now\nconst a = 'Math.random' + /new Date()/.source;\nconst { now } = clock;";
    expect(wordingProblems({ path: server('store/a.ts'), text })).toEqual([]);
  });
});

describe('Biome', () => {
  const longFunction = `export function a(): void {\n${'  console.info(1);\n'.repeat(functionLinesMax)}}\n`;
  const tooLong = longFunction.replace('}', '  console.info(1);\n}');

  test('refuses what its rules forbid, and nothing else', async () => {
    const inStore = (text: string) => ({ path: server('store/a.ts'), text });
    const inTest = (text: string) => ({ path: 'packages/server/test/a.test.ts', text });
    const found = await biomeFindings(root, [
      inStore(tooLong),
      inStore(longFunction),
      inStore('export default 1;\n'),
      inStore('export enum A {\n  B = 1,\n}\n'),
      inStore('async function a(): Promise<void> {}\na();\n'),
      inTest("test.only('a', () => {});\n"),
      inTest("test.skip('a', () => {});\n"),
    ]);
    expect(found).toEqual([
      ['noExcessiveLinesPerFunction'],
      [],
      ['noDefaultExport'],
      ['noEnum'],
      ['noFloatingPromises'],
      ['noFocusedTests'],
      ['noSkippedTests'],
    ]);
  });
});
