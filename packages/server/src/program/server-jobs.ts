// Creates the jobs of a server, and the renewals, which the sandbox also runs without a job.

import type { Config } from '../config/config.ts';
import { CleaningJob } from '../jobs/cleaning-job.ts';
import { ClockJob } from '../jobs/clock-job.ts';
import { StatisticsJob } from '../jobs/statistics-job.ts';
import { MissingGatewayJob } from '../jobs/subscriptions/missing-gateway-job.ts';
import { RenewalJob } from '../jobs/subscriptions/renewal-job.ts';
import {
  type RenewalOptions,
  renewalOptions,
  type SettlingOptions,
  settlingOptions,
} from '../jobs/subscriptions/renewal-options.ts';
import { WebhookJob } from '../jobs/webhooks/webhook-job.ts';
import { webhookSender } from '../jobs/webhooks/webhook-sender.ts';
import type { RenewalTesting } from '../runtime/crash-points.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import { unlessUnavailable } from '../store/connection/database-failure.ts';
import type { Store } from '../store/store.ts';
import { findOldestUndelivered } from '../store/webhooks/webhook-delay.ts';

/** Options for tests only. */
export interface JobTesting {
  /** False: this server's clock is not compared with the database's, which has no mark. */
  readonly comparesClocks?: boolean | undefined;
  /** May end the process at one of these points. */
  readonly crashPoints?: RenewalTesting['crashPoints'];
  readonly webhookTimeoutMs?: number | undefined;
}

interface JobParts {
  readonly config: Config;
  readonly given: { readonly randomness: Randomness; readonly log: Log; readonly testing?: JobTesting };
  readonly store: Store;
  readonly metrics: Metrics;
}

/** The job that compares the clocks, which it has done once. */
export async function comparedClocks({ given, store, metrics }: JobParts): Promise<ClockJob[]> {
  if (given.testing?.comparesClocks === false) return [];
  const job = new ClockJob({
    ...{ database: store.database, clock: store.clock, log: given.log },
    onCompared: ({ hold, isOff }) => metrics.setClockProblems({ held: hold?.reason, isOff }),
  });
  await job.runOnce();
  return [job];
}

/** `renewals` is undefined in production without a payment gateway. */
export function createRenewals({ config, given, store, metrics }: JobParts) {
  const { randomness, log, testing } = given;
  const { database, clock, environment, installationId } = store;
  const { paymentGateway, chargeRetries: retries } = config;
  const settling: SettlingOptions = settlingOptions({
    ...{ database, clock, environment, installationId, randomness, log, retries },
    testing: testing?.crashPoints && { crashPoints: testing.crashPoints },
    onRefundDue: metrics.countRefundDue,
  });
  const renewals = renewalOptions(settling, {
    database,
    httpGateway: paymentGateway,
    readSandboxState: store.sandbox?.readState,
    onCharged: metrics.observeCharge,
  });
  return { settling, renewals };
}

interface StoreJobParts extends JobParts {
  readonly renewals: RenewalOptions | undefined;
  readonly nextRequestId: () => string;
}

/** The jobs that change what is stored. */
export function createJobs({ config, given, store, metrics, renewals, nextRequestId }: StoreJobParts) {
  const { randomness, log, testing } = given;
  const { database, clock, environment } = store;
  const { retentionDays, timeZone, webhookRules: rules } = config;
  metrics.setUndeliveredReader(
    unlessUnavailable(async () => (await findOldestUndelivered(database.storeWide, clock.now())) / 1000),
  );
  return [
    renewals ? new RenewalJob({ ...renewals, nextRequestId }) : new MissingGatewayJob(store, log),
    new WebhookJob(database, {
      ...{ clock, environment, randomness, log, rules },
      sender: webhookSender(rules, { timeoutMs: testing?.webhookTimeoutMs }),
      onAttempt: (end) => metrics.observeDelivery(end),
    }),
    new CleaningJob({ database, clock, log, retentionDays }),
    new StatisticsJob({ database, log, timeZone }),
  ];
}
