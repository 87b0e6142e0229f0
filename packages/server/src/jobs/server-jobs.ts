// The background jobs of one server.

import type { Environment } from '../domain/identifiers.ts';
import type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
import type { RenewalOptions } from '../operations/subscriptions/renewal/renewal-options.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { StoreClock } from '../store/clocks/store-clock.ts';
import type { Database } from '../store/connection/database.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';
import { findOldestUndelivered } from '../store/webhooks/webhook-delay.ts';
import { CleaningJob } from './cleaning-job.ts';
import { StatisticsJob } from './statistics-job.ts';
import { RenewalJob } from './subscriptions/renewal-job.ts';
import { WebhookJob } from './webhooks/webhook-job.ts';
import { webhookSender } from './webhooks/webhook-sender.ts';

interface ServerJob {
  start(): void;
  /** Starts nothing more, and waits for work in flight. */
  stop(): Promise<void>;
}

interface ServerJobOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly clock: StoreClock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** undefined for a server without a payment gateway. */
  readonly renewals: RenewalOptions | undefined;
  readonly webhookRules: WebhookRules;
  /** The timeout of a delivery attempt, which tests shorten. */
  readonly webhookTimeoutMs: number | undefined;
  readonly retentionDays: number;
  readonly timeZone: string;
}

export function serverJobs(options: ServerJobOptions): ServerJob[] {
  const renewals = renewalJob(options);
  return [
    ...(renewals === undefined ? [] : [renewals]),
    webhookJob(options),
    new CleaningJob(options),
    new StatisticsJob(options),
  ];
}

function renewalJob({ database, renewals, metrics, nextRequestId }: ServerJobOptions): ServerJob | undefined {
  if (renewals === undefined) return undefined;
  return new RenewalJob({
    ...renewals,
    database,
    nextRequestId,
    onOldestOverdue: (seconds) => metrics.setOldestOverdueRenewal(seconds),
  });
}

function webhookJob(options: ServerJobOptions): ServerJob {
  const { metrics, webhookRules: rules, webhookTimeoutMs: timeoutMs } = options;
  metrics.setUndeliveredReader(() => undeliveredSeconds(options));
  return new WebhookJob(options.database, {
    ...options,
    rules,
    sender: webhookSender(rules, { timeoutMs }),
    onAttempt: (end) => metrics.observeDelivery(end),
  });
}

async function undeliveredSeconds({ database, clock }: ServerJobOptions): Promise<number | undefined> {
  try {
    return (await findOldestUndelivered(database.storeWide, clock.now())) / 1000;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
}
