// The jobs of one server: what it does by itself, beside answering calls.

import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Database } from '../store/database.ts';
import { CleaningJob } from './cleaning/cleaning-job.ts';
import type { RenewalParts } from './renewals/renewal-batch.ts';
import { RenewalJob } from './renewals/renewal-job.ts';

export interface ServerJob {
  start(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

export interface ServerJobParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** Undefined where nobody can be charged. */
  readonly renewals: RenewalParts | undefined;
  readonly retentionDays: number;
}

export function serverJobs(parts: ServerJobParts): ServerJob[] {
  const renewals = renewalJob(parts);
  return [...(renewals === undefined ? [] : [renewals]), new CleaningJob(parts)];
}

function renewalJob({ renewals, database, metrics, nextRequestId }: ServerJobParts): ServerJob | undefined {
  if (renewals === undefined) return undefined;
  return new RenewalJob({
    ...renewals,
    database,
    nextRequestId,
    answeredCalls: metrics.answeredCalls,
    onOldestOverdue: (seconds) => metrics.setOldestOverdueRenewal(seconds),
  });
}
