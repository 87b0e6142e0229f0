// The jobs of one server: what it does by itself, beside answering calls.

import type { Environment } from '../domain/identifiers.ts';
import type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
import type { RenewalParts } from '../operations/subscriptions/renewal/renewal-batch.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Database } from '../store/connection/database.ts';
import type { SandboxState } from '../store/sandbox/sandbox-state.ts';
import { CleaningJob } from './cleaning-job.ts';
import { RenewalJob } from './subscriptions/renewal-job.ts';
import { WebhookJob } from './webhooks/webhook-job.ts';
import { attemptTimeoutMs, webhookSender } from './webhooks/webhook-sender.ts';

interface ServerJob {
  start(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

interface ServerJobParts {
  readonly database: Database;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** Undefined where nobody can be charged. */
  readonly renewals: RenewalParts | undefined;
  /** Undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly webhookRules: WebhookRules;
  /** Of an attempt to deliver a webhook; a test's own program has less time. */
  readonly webhookTimeoutMs: number | undefined;
  readonly retentionDays: number;
}

export function serverJobs(parts: ServerJobParts): ServerJob[] {
  const renewals = renewalJob(parts);
  return [...(renewals === undefined ? [] : [renewals]), webhookJob(parts), new CleaningJob(parts)];
}

function renewalJob({ renewals, database, metrics, nextRequestId }: ServerJobParts): ServerJob | undefined {
  if (renewals === undefined) return undefined;
  return new RenewalJob({
    ...renewals,
    database,
    nextRequestId,
    lastAppCallAt: metrics.lastAppCallAt,
    onOldestOverdue: (seconds) => metrics.setOldestOverdueRenewal(seconds),
  });
}

function webhookJob(parts: ServerJobParts): ServerJob {
  const { metrics, webhookRules: rules, webhookTimeoutMs: timeoutMs = attemptTimeoutMs } = parts;
  return new WebhookJob({
    ...parts,
    rules,
    sender: webhookSender({ rules, timeoutMs }),
    onAttempt: (end) => metrics.observeDelivery(end),
    onOldest: (seconds) => metrics.setOldestUndeliveredEvent(seconds),
  });
}
