import { expect } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

/** The lines with which these settings are refused. */
export function problemsOf(env: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartProblem);
    return (error as Error).message.split('\n');
  }
  return [];
}
