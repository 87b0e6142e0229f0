import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Every test file talks to one PostgreSQL on two cores: more workers only wait for each other.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // To load the server takes as long as many a file's tests: the files of a worker share what they import.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'tidy', include: ['test/tidy.test.ts'] } },
      { extends: true, test: { name: 'domain', include: ['packages/*/test/domain/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['packages/{server,client}/test/**/*.test.ts'],
          exclude: ['packages/server/test/domain/**'],
          globalSetup: ['packages/server/test/global-setup.ts'],
        },
      },
    ],
  },
});
