import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Test processes share a compile cache, as the programs do.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** The common part of every run. */
export const test = {
  // One worker more than there are cores: with two workers on two cores, a fifth of the CPU time stays idle.
  maxWorkers: 3,
  // Far more than any test takes on a busy machine. It costs nothing when green, so no test has a limit of its own.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
  // Loading the server takes as long as many files' tests, so the files of a worker share their imports.
  isolate: false,
  setupFiles: ['packages/server/test/failure-report.ts'],
};

const postgres = 'packages/server/test/provided-postgres.ts';
const programs = 'packages/server/test/global-setup.ts';
const built = 'packages/console/test/built-console.ts';
const browser = 'packages/console/test/global-setup.ts';

/** Tests that start programs, kill them or have a PostgreSQL of their own. */
const processTests = [
  'packages/cli/test/**/*.test.ts',
  'packages/server/test/{documents,embedded}/**/*.test.ts',
  'packages/server/test/start/{demo,life-cycle,log-*,open-files,reload,secret-files,start*}.test.ts',
  'packages/server/test/{purchases/{crash,final-windows},store/{database-away,migrations},start/rolling-update}.test.ts',
  'packages/server/test/{app-clock/killed,renewals/crash-points,webhooks/chaos}.test.ts',
  'test/release.test.ts',
];

/** Tests with programs and browsers start when the others have ended, two files at a time. */
const afterwards = { maxWorkers: 2, sequence: { groupOrder: 1 } };

const projects = [
  { name: 'code', include: ['test/{reference,wording,workflows}.test.ts'] },
  { name: 'domain', include: ['packages/*/test/domain/**/*.test.ts'] },
  {
    name: 'server',
    include: ['packages/{server,client,conformance}/test/**/*.test.ts'],
    exclude: ['packages/server/test/{cluster,domain}/**', ...processTests],
    globalSetup: [postgres, built],
  },
  { name: 'processes', include: processTests, globalSetup: [postgres, built, programs], ...afterwards },
  {
    name: 'browser',
    include: ['packages/console/test/**/*.test.ts', 'site/test/*.test.ts'],
    exclude: ['packages/console/test/domain/**'],
    globalSetup: [postgres, built, browser],
    ...afterwards,
  },
];

export default defineConfig({
  test: { ...test, projects: projects.map((project) => ({ extends: true as const, test: project })) },
});
