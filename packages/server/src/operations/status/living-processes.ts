// The processes of all servers of the store that are running.

import type { Queryable } from '../../store/connection/database.ts';
import { listProcesses, type ServerProcess } from '../../store/status/server-processes.ts';
import type { ProcessActivity } from './process-activity.ts';

/** How often a process reports itself, in ms. */
export const reportEveryMs = 10_000;

/** A process that has not reported itself for this long, in ms, has ended. */
const endedAfterMs = 4 * reportEveryMs;

/** This process as it is now, and the others as they last reported themselves. */
export async function listLivingProcesses(
  queryable: Queryable,
  activity: Pick<ProcessActivity, 'report'>,
): Promise<readonly ServerProcess[]> {
  const own = await activity.report();
  const reported = await listProcesses(queryable);
  const others = reported.filter(
    ({ processId, seenAt }) => processId !== own.processId && seenAt > own.seenAt - endedAfterMs,
  );
  return [own, ...others];
}
