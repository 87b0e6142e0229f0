import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Test processes share a compile cache, as the programs do.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** What every run has in common. */
export const test = {
  // One worker more than there are cores: with two workers on two cores, a fifth of the CPU time stays idle.
  maxWorkers: 3,
  // Far more than any test takes by itself: on a busy machine tests take ten times as long.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 120_000 } },
  // Loading the server takes as long as many files' tests, so the files of a worker share their imports.
  isolate: false,
};

const serverTests = {
  include: ['packages/{server,client,cli,conformance}/test/**/*.test.ts'],
  exclude: ['packages/server/test/{cluster,domain}/**'],
  globalSetup: ['packages/server/test/global-setup.ts'],
};

/** Server tests with many rounds, kills, processes or their own PostgreSQL, and those of packages and documents. */
const slowServerTests = [
  'packages/server/test/{documents,embedded,testing}/**/*.test.ts',
  'packages/server/test/start/{demo,life-cycle,log-*,reload,secret-files,started-by-npm}.test.ts',
  'packages/server/test/attack/{database-away,hostile-*,migrations}.test.ts',
  'packages/server/test/attack/rolling-update.test.ts',
  'packages/server/test/app-clock/{histories,killed}.test.ts',
  'packages/server/test/webhooks/chaos.test.ts',
  'packages/cli/test/{installed-packages,listen}.test.ts',
];

const browserSetup = ['packages/console/test/global-setup.ts'];

/** `npm test` runs the projects that are not named `rest-*`, and `npm run test:rest` the others. */
const projects = [
  { name: 'wording', include: ['test/{wording,workflows}.test.ts'] },
  { name: 'domain', include: ['packages/*/test/domain/**/*.test.ts', 'packages/console/test/csv.test.ts'] },
  { ...serverTests, name: 'server', exclude: [...serverTests.exclude, ...slowServerTests] },
  { name: 'browser', include: ['packages/console/test/smoke/*.test.ts'], globalSetup: browserSetup },
  { name: 'rest-release', include: ['test/release.test.ts'] },
  { ...serverTests, name: 'rest-server', include: slowServerTests },
  {
    name: 'rest-browser',
    include: ['packages/console/test/*.test.ts', 'site/test/*.test.ts'],
    exclude: ['packages/console/test/csv.test.ts'],
    globalSetup: browserSetup,
  },
];

export default defineConfig({
  test: { ...test, projects: projects.map((project) => ({ extends: true as const, test: project })) },
});
