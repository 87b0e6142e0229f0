// The tests of what the server stores, on a Citus cluster: `npm run test:cluster`.

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
          // Three nodes and one server take both cores of a small machine: next to others, tests miss their deadlines.
          maxWorkers: 1,
          include: [
            'packages/server/test/{app-clock,apps,audit,clocks,cluster,events}/**/*.test.ts',
            'packages/server/test/{purchases,renewals,sandbox,search,statements,statistics,status}/**/*.test.ts',
            'packages/server/test/{store,subscriptions,tokens,transfer,webhooks}/**/*.test.ts',
          ],
          exclude: [
            killingTests,
            // A PostgreSQL of their own.
            'packages/server/test/{purchases/crash,store/database-away}.test.ts',
            // Schemas of one PostgreSQL.
            'packages/server/test/store/schemas.test.ts',
            // Counts the statements of one PostgreSQL.
            'packages/server/test/store/statement-counts.test.ts',
            // Statements shared by calls for several apps, which a cluster does not share.
            'packages/server/test/store/consumptions.test.ts',
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
