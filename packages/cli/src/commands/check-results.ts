// Prints the results of checks as each is known; the exit code tells whether one failed.

import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../terminal/output.ts';

interface CheckResult {
  readonly verdict: string;
  readonly name: string;
  readonly detail: string;
}

export async function printChecks(
  checks: AsyncIterable<CheckResult>,
  { output, context }: { readonly output: Output; readonly context: CommandContext },
): Promise<void> {
  const results: CheckResult[] = [];
  for await (const result of checks) {
    results.push(result);
    if (output.isJson) continue;
    output.entry(result, {
      verdict: ({ verdict }) => verdict,
      name: ({ name }) => name,
      detail: ({ detail }) => detail,
    });
  }
  if (output.isJson) await output.list(results, {});
  if (results.some(({ verdict }) => verdict === 'failed')) context.setExitCode(exitCodes.failed);
}
