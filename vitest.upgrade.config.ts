// The way from the former version to one that follows this checkout: `npm run test:upgrade`.

import { defineConfig } from 'vitest/config';
import { test as everyRun } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...everyRun,
    include: ['test/upgrade/*.test.ts'],
    // With the installation of the former version, or with many rows.
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    disableConsoleIntercept: true,
    globalSetup: ['packages/server/test/global-setup.ts'],
  },
});
