// Marks the processes that a parent starts. They run the same command line as the parent.

import type { Environment } from '../program/service.ts';

const variable = 'WORKER_OF_OPENTILL';

export const workerMark = { [variable]: 'true' } as const;

export function isWorker(env: Environment): boolean {
  return env[variable] !== undefined;
}
