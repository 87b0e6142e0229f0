// The order of the test files: those that take longest begin first, so that none of them is still busy when all
// others are done, and those of one project follow each other, since a worker begins anew for another one. A run
// that nobody has measured yet would begin with the largest files instead.

import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** From the root. */
const longest = [
  'packages/cli/test/installed-packages',
  'packages/server/test/attack/crash',
  'packages/server/test/transfer/round-trip',
  'packages/server/test/app-clock/histories',
  'packages/server/test/start/start-problems',
  'packages/server/test/documents/code-blocks',
  'packages/server/test/renewals/kill-rounds',
  'packages/server/test/app-clock/killed',
  'packages/server/test/attack/migrations',
  'packages/server/test/attack/database-away',
  'packages/server/test/attack/consume-races',
  'packages/server/test/attack/hostile-input',
  'packages/server/test/start/life-cycle',
  'packages/server/test/testing/start-sandbox',
  'packages/server/test/attack/ledger-model',
  'packages/server/test/embedded/start',
  'packages/server/test/renewals/gateway-isolation',
  'packages/server/test/attack/voided-walk',
  'packages/server/test/app-clock/advanceClock',
  'packages/cli/test/commands',
  'packages/server/test/embedded/killed',
  'packages/server/test/embedded/accounts',
  'packages/server/test/attack/stuck-locks',
  'packages/cli/test/store',
  'packages/server/test/sandbox/reset',
  'packages/server/test/webhooks/chaos',
  'packages/server/test/renewals/crash-points',
  'packages/server/test/embedded/contended',
  'packages/server/test/start/several-servers',
].map((name) => new URL(`../${name}.test.ts`, import.meta.url).pathname);

for (const path of longest) if (!existsSync(path)) throw new Error(`There is no ${path} to begin with.`);

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = longest.indexOf(moduleId);
  if (place >= 0) return place;
  return project.name === 'server' ? longest.length : longest.length + 1;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
