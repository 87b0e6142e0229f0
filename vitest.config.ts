import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

// What one process of the tests has compiled, the next one finds, as with the programs themselves.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** What every run has in common. */
export const test = {
  // For two cores: with a worker for each of them, a fifth of their time is left over.
  maxWorkers: 3,
  // Far more than any of them takes by itself: on a busy machine they take ten times as long.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // To load the server takes as long as many a file's tests: the files of a worker share what they import.
  isolate: false,
  sequence: { sequencer: LongestFirst },
};

export default defineConfig({
  test: {
    ...test,
    projects: [
      { extends: true, test: { name: 'wording', include: ['test/**/*.test.ts'] } },
      { extends: true, test: { name: 'domain', include: ['packages/*/test/domain/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'conformance', include: ['packages/conformance/test/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['packages/{server,client,cli}/test/**/*.test.ts'],
          exclude: ['packages/server/test/{cluster,domain}/**'],
          globalSetup: ['packages/server/test/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['{packages/console,site}/test/**/*.test.ts'],
          exclude: ['packages/console/test/domain/**'],
          globalSetup: ['packages/console/test/global-setup.ts'],
        },
      },
    ],
  },
});
