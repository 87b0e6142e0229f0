// Adds to the error of a failed test its latest calls with their responses, and what its servers and programs wrote.

import { afterEach, beforeEach } from 'vitest';
import { notes, startFile, startTest } from '../../../test/support/failure-notes.ts';

startFile();
beforeEach(startTest);
afterEach(({ task }) => {
  const [error] = task.result?.state === 'fail' ? (task.result.errors ?? []) : [];
  if (error !== undefined) error.message += `\n\n${notes()}`;
});
