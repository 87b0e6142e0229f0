// npm run size: prints the lines of each feature. A file belongs to the first feature whose pattern its path matches, and a
// change that adds a feature adds its row.

import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const features: Readonly<Record<string, RegExp>> = {
  'console, with its sign-in': /^packages\/console\/|\/console[/-]|\/sessions\.ts$|\/\w+Sessions?\.ts$/,
  'conformance kit': /^packages\/conformance\/|\/test\/conformance\//,
  client: /^packages\/client\//,
  Citus: /cluster|distribut/,
  'bundled PostgreSQL': /\/embedded\//,
  'CSV files': /csv|currency-digits|save-button/,
  'export and import': /transfer|import|export/,
  'audit trail': /audit|[aA]ctions?[/.]|action-/,
  search: /\/search[/.]/,
  'status and attention': /\/status\/|[aA]ttention/,
  statistics: /statistic/i,
  erasure: /eras(?:e|ure)/,
  clocks: /\/clocks\/|clock-job/,
  'opentill listen': /^packages\/cli\/.*\/listen/,
  webhooks: /webhook|deliver/i,
  'events and retention': /\/events?[/.-]|\/events-api\/|cleaning/,
  sandbox: /sandbox|app-clock|fault|request-log|\w+Clock\.ts$|clock-resources|logged-request/i,
  'subscriptions, renewals, gateways': /subscription|renewal|gateway|auto-?payment|recurring/i,
  'purchases, voids, consuming': /purchase|void|consum/i,
  'apps, products, tokens, keys': /\/(?:apps|tokens)\/|token|product|operator-keys?|secret/i,
  'settings, start, checks': /\/(?:start|config|program)\/|settings?|config|main\.ts|welcome|demo/,
  'command line': /^packages\/cli\//,
  'HTTP: listeners, routes, OpenAPI': /\/http\//,
  'database access and schema': /\/store\//,
  'everything else': /^/,
};

const isSource = /^packages\/.*\.(?:ts|tsx|sql|css|cjs)$/;
const isTest = /^packages\/[^/]+\/test\//;

const total = { name: '**all**', server: 0, other: 0, tests: 0 };
const sums = Object.keys(features).map((name) => ({ ...total, name }));
const patterns = Object.values(features);
const files = execFileSync('git', ['ls-files', 'packages'], { encoding: 'utf8' }).trim().split('\n');
for (const path of files.filter((file) => isSource.test(file))) {
  const lines = (await readFile(path, 'utf8')).split('\n').length - 1;
  const column = isTest.test(path) ? 'tests' : path.startsWith('packages/server/') ? 'server' : 'other';
  const feature = sums[patterns.findIndex((pattern) => pattern.test(path))];
  for (const sum of [total, ...(feature ? [feature] : [])]) sum[column] += lines;
}
const gone = sums.filter(({ server, other, tests }) => server + other + tests === 0);
if (gone.length > 0)
  throw new Error(`no file belongs to ${gone.map(({ name }) => name).join(', ')}: remove the rows`);
sums.sort((a, b) => b.server + b.other - a.server - a.other);
const rows = [...sums, total].map(({ name, ...sum }) => {
  const cells = Object.values(sum).map((lines) => (lines === 0 ? '' : lines.toLocaleString('en')));
  return `| ${[name, ...cells].join(' | ')} |\n`;
});
console.log(`| feature | server | other | tests |\n|---|---:|---:|---:|\n${rows.join('')}`);
