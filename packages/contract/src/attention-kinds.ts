// What needs an operator's attention, worst first. This file has no schemas, so that a client can import the table without
// loading TypeBox.

/** From when on something needs attention, in real time, also in the sandbox (docs/decisions/console.md). */
export const attentionThresholds = {
  /** Customers get time to update a card before an operator is alerted. */
  outstandingMs: 3 * 24 * 60 * 60 * 1000,
  overdueMs: 10 * 60 * 1000,
  /** A gateway that restarts is back by then. */
  unansweredMs: 10 * 60 * 1000,
  clockOffMs: 5 * 1000,
  /** A certificate is due in this last part of its life, but at most so long before its end. */
  certificatePart: 1 / 3,
  certificateMsMax: 21 * 24 * 60 * 60 * 1000,
} as const;

export type AttentionSeverity = 'critical' | 'warning' | 'notice';

export interface AttentionKindFacts {
  readonly severity: AttentionSeverity;
  readonly title: string;
  /** The finding, and the action to take. */
  readonly meaning: string;
  /** The unit of its count; absent if there is nothing to count. */
  readonly counts?: string;
}

export const attentionKinds = {
  charges: {
    severity: 'critical',
    title: 'Charges need attention',
    meaning:
      'Their latest tries have had no answer for 10 minutes: check the payment gateway. Or their outcome is unknown and they are not retried any more: look them up at the gateway, and settle each. Or they were settled as declined and have been paid although their period could not be given: refund and acknowledge each.',
    counts: 'attempts',
  },
  renewals: {
    severity: 'critical',
    title: 'Renewals wait',
    meaning:
      'They are paused by an operator, held because the clock of the database may be wrong, or have been due for over 10 minutes: read why with getRenewals, and check that a server with jobs is running.',
  },
  clockOff: {
    severity: 'warning',
    title: 'The clock is off',
    meaning:
      'The clock of the server that responds is 5 seconds or more away from that of the database: synchronize them.',
  },
  certificate: {
    severity: 'warning',
    title: 'The certificate expires',
    meaning:
      'The TLS certificate that the server that responds uses is in the last third of its life, at most three weeks before its end: replace the files and send SIGHUP, because a start refuses an expired one.',
  },
  webhooks: {
    severity: 'warning',
    title: 'A webhook is failing',
    meaning:
      'The last finished attempt failed and an event is waiting that failed twice, or events were given up: tell the developer of the app, and redeliver them when the receiver works.',
    counts: 'undelivered events',
  },
  paymentsOutstanding: {
    severity: 'notice',
    title: 'Payments are outstanding',
    meaning: 'Paid periods ended over 3 days ago, and the next payment has not succeeded yet.',
    counts: 'subscriptions',
  },
} as const satisfies Record<string, AttentionKindFacts>;

export type AttentionKind = keyof typeof attentionKinds;

/** Worst first. */
export const attentionKindNames = Object.keys(attentionKinds) as readonly AttentionKind[];
