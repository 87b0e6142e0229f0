// Creates the jobs of a server, and the renewals, which the sandbox also runs without a job.

import {
  type RenewalOptions,
  renewalOptions,
  type SettlingOptions,
  settlingOptions,
} from '../charging/renewal-options.ts';
import { CleaningJob } from '../jobs/cleaning-job.ts';
import { ClockJob } from '../jobs/clock-job.ts';
import { MonthJob } from '../jobs/month-job.ts';
import { StatisticsJob } from '../jobs/statistics-job.ts';
import { MissingGatewayJob } from '../jobs/subscriptions/missing-gateway-job.ts';
import { RenewalJob } from '../jobs/subscriptions/renewal-job.ts';
import { WebhookJob } from '../jobs/webhooks/webhook-job.ts';
import { webhookSender } from '../jobs/webhooks/webhook-sender.ts';
import { unlessUnavailable } from '../store/connection/database-failure.ts';
import { findOldestUndelivered } from '../store/webhooks/webhook-delay.ts';
import type { ServerParts } from './server-parts.ts';

/** The job that compares the clocks, which it has done once. */
export async function comparedClocks({ given, store, metrics }: ServerParts): Promise<ClockJob[]> {
  if (given.testing?.comparesClocks === false) return [];
  const job = new ClockJob({
    ...{ database: store.database, clock: store.clock, log: given.log },
    onCompared: ({ hold, isOff }) => metrics.setClockProblems({ held: hold?.reason, isOff }),
  });
  await job.runOnce();
  return [job];
}

/** `renewals` is undefined in production without a payment gateway. */
export function createRenewals({ config, given, store, metrics }: ServerParts) {
  const { randomness, log, testing } = given;
  const { database, clock, environment, installationId } = store;
  const { paymentGateway, chargeRetries: retries } = config;
  const settling: SettlingOptions = settlingOptions({
    ...{ database, clock, environment, installationId, randomness, log, retries, testing },
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

/** The jobs that change what is stored. */
export function createJobs(
  { config, given, store, metrics, nextRequestId }: ServerParts,
  renewals: RenewalOptions | undefined,
) {
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
    new CleaningJob({ database, clock, log, retentionDays, waitsForMonths: environment === 'production' }),
    new MonthJob({ database, clock, log, timeZone }),
    new StatisticsJob({ database, log, timeZone }),
  ];
}
