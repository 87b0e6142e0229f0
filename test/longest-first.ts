// The order of the test files: those that take longest begin first, so that none of them is still busy when all
// others are done. A run that nobody has measured yet would begin with the largest files instead.

import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** From packages/. */
const longest = [
  'opentill/test/installed-packages',
  'server/test/attack/crash',
  'server/test/attack/consume-races',
  'server/test/start/start-problems',
  'server/test/attack/migrations',
  'server/test/embedded/killed',
  'server/test/attack/voided-walk',
  'server/test/attack/database-away',
  'server/test/app-clock/killed',
  'server/test/app-clock/histories',
  'server/test/embedded/start',
  'server/test/embedded/accounts',
  'server/test/start/life-cycle',
  'server/test/attack/hostile-input',
  'server/test/embedded/contended',
].map((name) => new URL(`../packages/${name}.test.ts`, import.meta.url).pathname);

for (const path of longest) if (!existsSync(path)) throw new Error(`There is no ${path} to begin with.`);

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(moduleId);
  return place < 0 ? longest.length : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
