// What the process counts, in the format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { memoize } from './memoize.ts';

/** Upper ends of the latency buckets, in seconds: from a cached answer to the 3 seconds that bound a call. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3];

export interface Metrics {
  readonly registry: Registry;
  /** Counts one answered call; `outcome` is `success` or the error code. */
  observeCall(operationId: string, outcome: string, seconds: number): void;
  /** Notes that a call of an app was answered, at an instant of performance.now(). */
  noteAppCall(at: number): void;
  /** When the last of them was; -Infinity before the first. */
  lastAppCallAt(): number;
  /** Counts one charge by what the payment gateway answered. */
  observeCharge(outcome: string): void;
  setOldestOverdueRenewal(seconds: number): void;
  /** Counts one attempt to deliver a webhook by how it ended. */
  observeDelivery(end: string): void;
  setOldestUndeliveredEvent(seconds: number): void;
  /** Counts calls that the request log of the sandbox could not take. */
  countUnlogged(count: number): void;
  setEventWaiters(waiting: number): void;
  /** Counts a call rejected with 403 or 409 that is not in the audit trail. */
  countUnrecordedRejection(): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = callMetrics(registry);
  const charges = new Counter({
    name: 'opentill_charges_total',
    help: 'Charges by what the payment gateway answered; unknown is no clear answer.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const oldestOverdue = new Gauge({
    name: 'opentill_oldest_overdue_renewal_seconds',
    help: 'How long the payment that waits longest has been due, 0 when none is.',
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'opentill_webhook_attempts_total',
    help: 'Attempts to deliver an event by outcome: delivered, failed (tried again later), dead (the last one).',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const oldestUndelivered = new Gauge({
    name: 'opentill_oldest_undelivered_event_seconds',
    help: 'How long the event has been waiting that its webhook has not received for longest, 0 when none does.',
    registers: [registry],
  });
  const unlogged = new Counter({
    name: 'opentill_unlogged_requests_total',
    help: 'Calls that the request log of the sandbox had no room for, or could not write.',
    registers: [registry],
  });
  const eventWaiters = new Gauge({
    name: 'opentill_event_waiters',
    help: 'Calls of listEvents that wait for an event.',
    registers: [registry],
  });
  const unrecorded = new Counter({
    name: 'opentill_unrecorded_rejections_total',
    help: 'Operator calls rejected with 403 or 409 that are not in the audit trail: more than 60 a minute of one key, or not written.',
    registers: [registry],
  });
  let lastAppCallAt = Number.NEGATIVE_INFINITY;
  return {
    registry,
    observeCall: calls.observe,
    noteAppCall(at) {
      lastAppCallAt = at;
    },
    lastAppCallAt: () => lastAppCallAt,
    countUnrecordedRejection: () => unrecorded.inc(),
    countUnlogged: (count) => unlogged.inc(count),
    setEventWaiters: (waiting) => eventWaiters.set(waiting),
    observeCharge: (outcome) => charges.inc({ outcome }),
    setOldestOverdueRenewal: (seconds) => oldestOverdue.set(seconds),
    observeDelivery: (end) => deliveries.inc({ outcome: end }),
    setOldestUndeliveredEvent: (seconds) => oldestUndelivered.set(seconds),
  };
}

/** Of the answered calls. */
function callMetrics(registry: Registry) {
  const calls = new Counter({
    name: 'opentill_calls_total',
    help: 'Answered calls by operation and outcome (success or the error code).',
    labelNames: ['operation', 'outcome'] as const,
    registers: [registry],
    collect() {
      for (const call of countedCalls) {
        calls.inc({ operation: call.operation, outcome: call.outcome }, call.since);
        call.since = 0;
      }
    },
  });
  // Counted here, and told when somebody asks: looking a label set up costs more than counting.
  const countedCalls: { readonly operation: string; readonly outcome: string; since: number }[] = [];
  const latency = new Histogram({
    name: 'opentill_call_duration_seconds',
    help: 'Time from the first byte of a call to the end of its answer.',
    labelNames: ['operation'] as const,
    buckets: latencyBuckets,
    registers: [registry],
  });
  const callsOf = memoize((operation: string) =>
    memoize((outcome: string) => {
      const counted = { operation, outcome, since: 0 };
      countedCalls.push(counted);
      return counted;
    }),
  );
  const latencyOf = memoize((operation: string) => latency.labels({ operation }));
  return {
    observe(operation: string, outcome: string, seconds: number): void {
      callsOf(operation)(outcome).since += 1;
      latencyOf(operation).observe(seconds);
    },
  };
}
