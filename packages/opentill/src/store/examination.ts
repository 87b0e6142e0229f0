// What opentill doctor does: each check is shown as soon as it is done.

import type { CheckResult } from '@opentill/server/cli/checks/check-result.ts';
import { doctor } from '@opentill/server/cli/doctor.ts';
import { systemClock } from '@opentill/server/runtime/clock.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';

/** Whether nothing has failed. */
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
