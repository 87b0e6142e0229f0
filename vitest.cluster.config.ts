// The server tests on a Citus cluster: `npm run test:cluster`.

import { defineConfig } from 'vitest/config';
import { test as everyRun } from './vitest.config.ts';

/** Tests that kill nodes, and therefore run one after another, and not with others. */
const killingTests = 'packages/server/test/cluster/*-away.test.ts';

export default defineConfig({
  test: {
    ...everyRun,
    globalSetup: ['packages/server/test/cluster/global-setup.ts'],
    projects: [
      {
        test: {
          ...everyRun,
          name: 'cluster',
          sequence: { groupOrder: 1 },
          include: ['packages/{server,client,cli}/test/**/*.test.ts'],
          exclude: [
            killingTests,
            // Nothing of the store, or the client's tests of it, whose calls the server's tests make, too.
            'packages/client/test/**',
            'packages/server/test/{domain,runtime,testing}/**',
            'packages/cli/test/{help,installed-packages,terminal,unprotected-connections}.test.ts',
            // The bundled PostgreSQL.
            'packages/server/test/{documents,embedded}/**',
            'packages/server/test/attack/{crash,database-away}.test.ts',
            'packages/server/test/start/{start-problems,started-by-npm}.test.ts',
            // Databases, accounts or settings of one PostgreSQL, which the tests create or change themselves.
            'packages/server/test/attack/rolling-update.test.ts',
            'packages/server/test/start/{doctor-database,log-format,reload}.test.ts',
            'packages/cli/test/{data-folder,unusable-database}.test.ts',
            // Schemas of one PostgreSQL, and indexes that are named like those of a shard.
            'packages/server/test/store/{schemas,unique-violations}.test.ts',
            // Statements shared by calls for several apps, which a cluster does not share, and plans of one PostgreSQL.
            'packages/server/test/store/{consumptions,list-plans,purchase-state-reader}.test.ts',
          ],
        },
      },
      {
        test: {
          ...everyRun,
          name: 'lost nodes',
          sequence: { groupOrder: 2 },
          maxWorkers: 1,
          include: [killingTests],
        },
      },
    ],
  },
});
