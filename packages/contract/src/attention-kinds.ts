// What needs an operator's attention, worst first. This file has no schemas, so that a client can import the table without
// loading TypeBox.

/** From when on something needs attention, in real time, also in the sandbox (docs/decisions/console.md). */
export const attentionThresholds = {
  /** Customers get time to update a card before an operator is alerted. */
  outstandingMs: 24 * 60 * 60 * 1000,
  overdueMs: 10 * 60 * 1000,
  gatewaySilentMs: 10 * 60 * 1000,
  clockSkewMs: 5 * 1000,
  /** The voids of the last 24 hours, also relative to a mean day of the 28 days before. */
  voidsMin: 10,
  voidsTimesMean: 2,
  voidsMeanDays: 28,
  /** Wrong operator keys within an hour: a typing error needs no attention. */
  rejectedKeysMin: 10,
  rejectedKeysMs: 60 * 60 * 1000,
} as const;

export type AttentionSeverity = 'critical' | 'warning' | 'notice';

export interface AttentionKindFacts {
  readonly severity: AttentionSeverity;
  readonly title: string;
  /** What was found, and what to do. */
  readonly meaning: string;
  /** What its count is a number of; absent if there is nothing to count. */
  readonly counts?: string;
}

export const attentionKinds = {
  held: {
    severity: 'critical',
    title: 'Time-driven work is stopped',
    meaning:
      "Renewals, expiry events and retention wait because the database's clock may be wrong: check it, then resume renewals.",
  },
  gatewaySilent: {
    severity: 'critical',
    title: 'The payment gateway is silent',
    meaning: 'It has given no clear response for 10 minutes while charges were tried: check the gateway.',
    counts: 'charges without a clear response',
  },
  attemptConflict: {
    severity: 'critical',
    title: 'Payments contradict their settlement',
    meaning: 'Charges that were settled as declined have been paid: settle each again.',
    counts: 'attempts in conflict',
  },
  renewalsOverdue: {
    severity: 'critical',
    title: 'Renewals are overdue',
    meaning:
      'Payments or expiries have been due for over 10 minutes although nothing pauses them: check that a server with jobs is running.',
    counts: 'subscriptions',
  },
  clockSkew: {
    severity: 'warning',
    title: 'Clocks disagree',
    meaning:
      'The clocks of server processes are 5 seconds or more away from that of the database: synchronize them.',
    counts: 'processes',
  },
  webhookFailing: {
    severity: 'warning',
    title: 'A webhook is failing',
    meaning: 'The last finished attempt failed and events are waiting: tell the developer of the app.',
    counts: 'undelivered events',
  },
  deliveriesDead: {
    severity: 'warning',
    title: 'Deliveries were given up',
    meaning: 'Events were given up after their last attempt: redeliver them when the receiver works.',
    counts: 'deliveries given up',
  },
  unresolvedAttempts: {
    severity: 'warning',
    title: 'Charges have an unknown outcome',
    meaning: 'They are not retried any more: look them up at the payment gateway, and settle them.',
    counts: 'unresolved attempts',
  },
  voidsUnusual: {
    severity: 'warning',
    title: 'Unusually many voids',
    meaning:
      'In the last 24 hours there were at least 10 voids, and twice as many as on a mean day of the 28 days before: check whether the refunds are intended. In production only.',
    counts: 'voids',
  },
  rejectedKeys: {
    severity: 'warning',
    title: 'Operator keys were rejected',
    meaning:
      'At least 10 calls of the last hour had a wrong operator key: someone is guessing, or a program still uses an old key.',
    counts: 'calls',
  },
  paymentsOutstanding: {
    severity: 'notice',
    title: 'Payments are outstanding',
    meaning: 'Paid months ended over 24 hours ago, and the next payment has not succeeded yet.',
    counts: 'subscriptions',
  },
  paused: {
    severity: 'notice',
    title: 'Renewals are paused',
    meaning: 'An operator has paused the renewals of the app, or of the whole store: resume them in time.',
  },
} as const satisfies Record<string, AttentionKindFacts>;

export type AttentionKind = keyof typeof attentionKinds;

/** Worst first. */
export const attentionKindNames = Object.keys(attentionKinds) as readonly AttentionKind[];
