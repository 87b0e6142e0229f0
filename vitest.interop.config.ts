// Third-party clients, and examples in six languages: `npm run test:interop`.

import { defineConfig } from 'vitest/config';
import { test as everyRun } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...everyRun,
    include: ['test/interop/*.test.ts'],
    globalSetup: ['test/interop/global-setup.ts', 'packages/server/test/provided-postgres.ts'],
    // A machine may have none of the programs of a file.
    passWithNoTests: true,
  },
});
