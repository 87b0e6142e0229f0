// How many connections each listener of a process may accept.

import type { Log } from '../../runtime/log.ts';
import { openFilesMax } from '../../runtime/open-files.ts';

/** What the process opens in addition to the connections of both listeners: to the database, for webhooks, and files. */
const otherFilesMax = 500;

/** The connections of each listener: with both at this limit, the process can still open files. */
export function connectionsOfEach(wantedMax: number, log: Pick<Log, 'warn'>): number {
  const filesMax = openFilesMax();
  const possibleMax = Math.max(1, Math.floor((filesMax - otherFilesMax) / 2));
  if (wantedMax <= possibleMax) return wantedMax;
  log.warn(
    `the limit of open files is ${filesMax}: each listener accepts ${possibleMax} connections instead of ${wantedMax}`,
  );
  return possibleMax;
}
