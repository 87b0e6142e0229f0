// Compares the tables, numbers, links and commands of the documents with the code.

import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attentionKinds } from '@opentill/contract/attention-kinds.ts';
import { expect, test } from 'vitest';
import { withErrors, withSettings } from '../../../../site/document-tables.ts';
import { alertLines } from '../../src/runtime/alert-lines.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** The cells of the tables between a heading and the next one, or of the whole text, without the header rows. */
function rowsOf(text: string, heading?: string): string[][] {
  const section =
    heading === undefined ? text : (text.split(new RegExp(`\n#+ ${heading}\n`))[1]?.split('\n#')[0] ?? '');
  const tables = [...section.matchAll(/^\|.*\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows);
  return tables
    .flatMap((rows) => rows.trimEnd().split('\n'))
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')));
}

test.each([
  ['settings', withSettings],
  ['errors', withErrors],
])('docs/%s.md is current', async (name, withTables) => {
  const page = await read(`docs/${name}.md`);
  expect(withTables(page), 'run npm run docs:tables').toBe(page);
});

test('docs/operating.md has each line to alert on with its level', async () => {
  const rows = rowsOf(await read('docs/operating.md'), 'Lines to alert on');
  const documented = rows.map(([code, message, level]) => [code, { level, message }]);
  expect(Object.fromEntries(documented)).toEqual(alertLines);
});

test('docs/operating.md has each kind of attention with its severity, title and meaning', async () => {
  const rows = rowsOf(await read('docs/operating.md'), 'What needs attention');
  const documented = rows.map(([kind, severity, title, meaning, counts]) => [
    kind,
    { severity, title, meaning, ...(counts !== '-' && { counts }) },
  ]);
  expect(Object.fromEntries(documented)).toEqual(attentionKinds);
});

/** The constant of each limit in docs/operating.md. */
const limits: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'a request body': ['server/src/http/request-body.ts', 'bodyBytesMax'],
  'all headers of a request': ['server/src/http/listener/listener.ts', 'headerBytesMax'],
  'arrival of a complete request': ['server/src/http/listener/listener.ts', 'requestArrivalMs'],
  'a response, otherwise 503': ['server/src/http/listener/steps.ts', 'responseWithinMs'],
  'a response of redeliverFailed, advanceClock or reset, otherwise 503': [
    'server/src/http/listener/steps.ts',
    'longResponseWithinMs',
  ],
  'connections of a listener, or fewer if the process may open under 20,500 files': [
    'server/src/http/listener/listening.ts',
    'connectionsMax',
  ],
  '`waitSeconds` of listEvents': ['contract/src/event-feed.ts', 'waitSecondsMax'],
  'waiting calls of listEvents per app and server': [
    'server/src/operations/events/event-waiters.ts',
    'developerWaitersPerAppMax',
  ],
  'test events of an app per minute and server': [
    'server/src/operations/webhooks/testWebhook.ts',
    'testEventsMax',
  ],
  'an attempt to deliver a webhook': ['server/src/jobs/webhooks/webhook-sender.ts', 'attemptTimeoutMs'],
};

test('docs/operating.md gives each limit as the code does', async () => {
  const rows = rowsOf(await read('docs/operating.md'), 'Limits');
  expect(rows.map(([what]) => what)).toEqual(Object.keys(limits));
  for (const [what = '', limit = ''] of rows) {
    const [file, name] = limits[what] ?? [];
    const source = await read(`packages/${file}`);
    const values = [...source.matchAll(new RegExp(`\\b${name}(?: =|:) ([0-9_]+)[,;]`, 'g'))];
    const documented = Number.parseInt(limit.replaceAll(',', ''), 10);
    const found = values.map(([, value = '']) => Number(value.replaceAll('_', '')));
    expect([what, ...found]).toEqual([what, documented]);
  }
});

test('the documents name each metric of OpenTill and no other, and the alerts only such', async () => {
  const named = /(?<![\w-])opentill_[a-z_]+[a-z]/g;
  const source = await read('packages/server/src/runtime/metrics.ts');
  const declared = new Set([...source.matchAll(/'(opentill_\w+)'/g)].map(([, name]) => name));
  const pages = ['operating', 'deployment', 'payment-gateway', 'webhooks'];
  const texts = await Promise.all(pages.map((page) => read(`docs/${page}.md`)));
  const documented = new Set(texts.flatMap((text) => text.match(named) ?? []));
  expect([...documented].sort()).toEqual([...declared].sort());
  const rules = await read('packaging/monitoring/rules.yml');
  const queried = (rules.match(named) ?? []).map((name) => name.replace(/_bucket$/, ''));
  expect([...declared]).toEqual(expect.arrayContaining(queried));
  const kinds = [...rules.matchAll(/kind="(\w+)"/g)].map(([, kind]) => kind);
  expect(kinds).not.toEqual([]);
  expect(Object.keys(attentionKinds)).toEqual(expect.arrayContaining(kinds));
});

test('docs/decisions/README.md lists each page once', async () => {
  const listed = rowsOf(await read('docs/decisions/README.md')).map(([page]) =>
    page?.replace(/.*\((.*)\)/, '$1'),
  );
  const pages = (await readdir(join(root, 'docs/decisions'))).filter((page) => page !== 'README.md');
  expect(listed.sort()).toEqual(pages.sort());
});

test('every link between documents and every document named in the code exists', async () => {
  const documents = glob(['*.md', '{bench,examples,docs}/**/*.md'], { cwd: root });
  for await (const document of documents) {
    for (const [, target = ''] of (await read(document)).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(existsSync(join(root, dirname(document), target)), `${document}: ${target}`).toBe(true);
    }
  }
  const sources = glob(['packages/*/{src,test,bin}/**/*.{ts,cjs}', 'bench/*.ts'], { cwd: root });
  for await (const source of sources) {
    for (const [target] of (await read(source)).matchAll(/docs\/[a-z/-]+\.(?:md|json)/g)) {
      expect(existsSync(join(root, target)), `${source}: ${target}`).toBe(true);
    }
  }
});

test('docs/adding-an-operation.md quotes the files that it links to', async () => {
  const page = await read('docs/adding-an-operation.md');
  const quotes = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)];
  expect(quotes.length).toBeGreaterThan(0);
  for (const { index, 1: quote = '' } of quotes) {
    // The last link before the quote.
    const file = /^.*\]\(\.\.\/([^)]+)\)/s.exec(page.slice(0, index))?.[1] ?? '';
    expect(await read(file), file).toContain(quote);
  }
});

test('README.md names the test command that .ci/run runs, and scripts that exist', async () => {
  const [readme, ci, contributing, manifest] = await Promise.all(
    ['README.md', '.ci/run', 'CONTRIBUTING.md', 'package.json'].map(read),
  );
  const { scripts } = JSON.parse(manifest ?? '') as { scripts: Record<string, string> };
  expect(readme).toContain('\nnpm ci && npm test\n');
  expect(ci).toMatch(/^npm ci\n(?:.*\n)*npm test /m);
  const named = `${readme}${contributing}${ci}`.matchAll(/npm (?:run )?((?<=run )[\w:]+|start|test)/g);
  for (const [, script = ''] of named) expect(scripts, script).toHaveProperty(script);
});
