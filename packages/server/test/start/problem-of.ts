// The line with which a start is refused.

import { expect } from 'vitest';
import { StartProblem } from '../../src/runtime/start-problem.ts';

/** Fails if it starts, or for a problem of several lines. */
export async function problemOf(starting: Promise<unknown>): Promise<string> {
  const problem = await starting.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(StartProblem);
  const { message } = problem as StartProblem;
  expect(message).not.toContain('\n');
  return message;
}
