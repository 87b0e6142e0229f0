// The order of the test files: those that take longest begin first, so that none of them is still busy when all
// others are done. A run that nobody has measured yet would begin with the largest files instead.

import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** From packages/server/test/. */
const longest = [
  'attack/crash',
  'attack/consume-races',
  'start/start-problems',
  'attack/migrations',
  'embedded/killed',
  'attack/voided-walk',
  'attack/database-away',
  'app-clock/killed',
  'app-clock/histories',
  'embedded/start',
  'embedded/accounts',
  'start/life-cycle',
  'attack/hostile-input',
  'embedded/contended',
].map((name) => new URL(`../packages/server/test/${name}.test.ts`, import.meta.url).pathname);

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
