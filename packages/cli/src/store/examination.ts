// The opentill doctor command, which prints each result as soon as it has it.

import type { CheckResult } from '@opentill/server/runtime/check-result.ts';
import { systemClock } from '@opentill/server/runtime/clock.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';
import { doctor } from './doctor.ts';

/** Returns whether no check has failed. */
export async function examine(env: Surroundings['env'], output: Output): Promise<boolean> {
  const results: CheckResult[] = [];
  for await (const result of doctor(env, { clock: systemClock, nodeVersion: process.version })) {
    results.push(result);
    if (!output.isJson) {
      output.entry(result, {
        verdict: ({ verdict }) => verdict,
        name: ({ name }) => name,
        detail: ({ detail }) => detail,
      });
    }
  }
  if (output.isJson) await output.list(results, {});
  return results.every(({ verdict }) => verdict !== 'failed');
}
