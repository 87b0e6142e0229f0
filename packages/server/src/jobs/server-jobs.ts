// The background jobs of one server.

import type { Environment } from '../domain/identifiers.ts';
import type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
import type { ClockGuard } from '../operations/clocks/clock-guard.ts';
import type { RenewalParts } from '../operations/subscriptions/renewal/renewal-parts.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Database } from '../store/connection/database.ts';
import type { SandboxState } from '../store/sandbox/sandbox-state.ts';
import { ChainLogJob } from './audit/chain-log-job.ts';
import { CleaningJob } from './cleaning-job.ts';
import { ClockJob } from './clock-job.ts';
import { RenewalJob } from './subscriptions/renewal-job.ts';
import { WebhookJob } from './webhooks/webhook-job.ts';
import { webhookSender } from './webhooks/webhook-sender.ts';

interface ServerJob {
  start(): void;
  /** Starts nothing more, and waits for work in flight. */
  stop(): Promise<void>;
}

interface ServerJobParts {
  readonly database: Database;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly clocks: ClockGuard;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** undefined for a server without a payment gateway. */
  readonly renewals: RenewalParts | undefined;
  /** undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly webhookRules: WebhookRules;
  /** The timeout of a delivery attempt, which tests shorten. */
  readonly webhookTimeoutMs: number | undefined;
  readonly retentionDays: number;
}

export function serverJobs(parts: ServerJobParts): ServerJob[] {
  const renewals = renewalJob(parts);
  const { metrics } = parts;
  const clockJob = new ClockJob({ ...parts, onHold: (hold) => metrics.setClockHold(hold?.reason) });
  return [
    clockJob,
    ...(renewals === undefined ? [] : [renewals]),
    webhookJob(parts),
    new CleaningJob(parts),
    new ChainLogJob(parts),
  ];
}

function renewalJob({ renewals, metrics, nextRequestId }: ServerJobParts): ServerJob | undefined {
  if (renewals === undefined) return undefined;
  return new RenewalJob({
    ...renewals,
    nextRequestId,
    lastAppCallAt: metrics.lastAppCallAt,
    onOldestOverdue: (seconds) => metrics.setOldestOverdueRenewal(seconds),
  });
}

function webhookJob(parts: ServerJobParts): ServerJob {
  const { metrics, webhookRules: rules, webhookTimeoutMs: timeoutMs } = parts;
  return new WebhookJob(parts.database, webhookSender(rules, { timeoutMs }), {
    ...parts,
    rules,
    onAttempt: (end) => metrics.observeDelivery(end),
    onOldest: ({ longestMs, shortestMs }) =>
      metrics.setOldestUndelivered(longestMs / 1000, shortestMs / 1000),
  });
}
