// The metrics of the process, in the format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { memoize } from './memoize.ts';

/** Upper limits of the latency buckets, in seconds: from a cached response to the 3 seconds that limit a call. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3];

const heldReasons = ['ahead', 'behind'];

const chargeOutcomes = ['paid', 'declined', 'declinedFinal', 'pending', 'unknown'] as const;
const attemptEnds = ['delivered', 'failed', 'dead'] as const;

/** `app` is empty for what concerns the whole store. Several of the same kind and app add up. */
export interface AttentionCount {
  readonly kind: string;
  readonly app: string;
  readonly count: number;
}

export interface Metrics {
  readonly registry: Registry;
  /** Creates the counters of operations with these outcomes, so that the first call of each is an increase. */
  expectCalls(operationIds: readonly string[], outcomes: readonly string[]): void;
  /** Counts one call that got a response; `outcome` is `success`, `overloaded`, or the code or name of the error. */
  observeCall(operationId: string, outcome: string, seconds: number): void;
  /** Counts one call that a limit of the server has ended; `app` is empty for a call of no known app. */
  countOverload(app: string): void;
  /** Counts one charge by the response of the payment gateway. */
  observeCharge(outcome: (typeof chargeOutcomes)[number]): void;
  /** Counts one charge whose money has to go back. */
  countRefundDue(): void;
  /** Sets what reads for how many seconds the oldest payment has been overdue; undefined: unknown. */
  setOverdueReader(read: () => Promise<number | undefined>): void;
  /** Counts one attempt to deliver a webhook by its outcome. */
  observeDelivery(outcome: (typeof attemptEnds)[number]): void;
  /** Sets what reads for how many seconds the oldest undelivered event has waited; undefined: unknown. */
  setUndeliveredReader(read: () => Promise<number | undefined>): void;
  /** Sets why time-driven work is held, if it is, and whether this server's clock is off. */
  setClockProblems(problems: { readonly held: string | undefined; readonly isOff: boolean }): void;
  setEventWaiters(waiting: number): void;
  /** Sets what counts the things that need attention; undefined: unknown. */
  setAttentionReader(read: () => Promise<readonly AttentionCount[] | undefined>): void;
  /** Sets what reads when the certificate in use expires, in ms; undefined: there is none. */
  setCertificateReader(read: () => number | undefined): void;
  countWrongOperatorKey(): void;
  countWrongClientSecret(): void;
  /** Counts one connection over the limit of its listener. */
  countRejectedConnection(): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const outcomes = (name: string, all: readonly string[], help: string) => {
    const counted = new Counter({ name, help, labelNames: ['outcome'] as const, registers });
    for (const outcome of all) counted.inc({ outcome }, 0);
    return counted;
  };
  const calls = callMetrics(registry);
  const charges = outcomes(
    'opentill_charges_total',
    chargeOutcomes,
    'Charges by the response of the payment gateway; unknown: no definite response.',
  );
  const refundsDue = counter(
    'opentill_refunds_due_total',
    'Charges that were paid after they were settled as declined, and whose money has to go back.',
  );
  const deliveries = outcomes(
    'opentill_webhook_attempts_total',
    attemptEnds,
    'Attempts to deliver an event by outcome: delivered, failed (to be retried), dead (the last attempt failed).',
  );
  const eventWaiters = new Gauge({
    name: 'opentill_event_waiters',
    help: 'Calls of listEvents that wait for an event.',
    registers,
  });
  return {
    registry,
    ...calls,
    setEventWaiters: (waiting) => eventWaiters.set(waiting),
    observeCharge: (outcome) => charges.inc({ outcome }),
    countRefundDue: () => refundsDue.inc(),
    setOverdueReader: ageGauge(
      registry,
      'opentill_oldest_overdue_renewal_seconds',
      'The age of the oldest overdue payment; 0 if none is overdue; absent while the database is unavailable.',
    ),
    observeDelivery: (outcome) => deliveries.inc({ outcome }),
    setUndeliveredReader: ageGauge(
      registry,
      'opentill_oldest_undelivered_event_seconds',
      'The age of the oldest event that a webhook has not received; 0 if there is none; absent while the database is unavailable.',
    ),
    ...clockMetric(registry),
    ...rejectionMetrics(counter),
    ...attentionMetric(registry),
    ...certificateMetric(registry),
  };
}

function rejectionMetrics(counter: (name: string, help: string) => Counter) {
  const wrongOperatorKeys = counter(
    'opentill_wrong_operator_keys_total',
    'Calls of the operator API with a wrong key.',
  );
  const wrongClientSecrets = counter(
    'opentill_wrong_client_secrets_total',
    'Calls with a wrong client secret or of an unknown client.',
  );
  const rejectedConnections = counter(
    'opentill_rejected_connections_total',
    'Connections that were closed at once because their listener had too many.',
  );
  return {
    countWrongOperatorKey: () => wrongOperatorKeys.inc(),
    countWrongClientSecret: () => wrongClientSecrets.inc(),
    countRejectedConnection: () => rejectedConnections.inc(),
  };
}

function attentionMetric(registry: Registry): Pick<Metrics, 'setAttentionReader'> {
  let read: Parameters<Metrics['setAttentionReader']>[0] = async () => undefined;
  new Gauge({
    name: 'opentill_attention',
    help: 'What needs attention, by kind and app (listAttention); the app is empty for the whole store; absent while the database is unavailable.',
    labelNames: ['kind', 'app'] as const,
    registers: [registry],
    async collect() {
      const counts = await read();
      this.reset();
      for (const { kind, app, count } of counts ?? []) this.inc({ kind, app }, count);
    },
  });
  return {
    setAttentionReader(reader) {
      read = reader;
    },
  };
}

function certificateMetric(registry: Registry): Pick<Metrics, 'setCertificateReader'> {
  let read: Parameters<Metrics['setCertificateReader']>[0] = () => undefined;
  new Gauge({
    name: 'opentill_certificate_expiry_timestamp_seconds',
    help: 'When the TLS certificate in use expires, in seconds since 1970; absent without one.',
    registers: [registry],
    collect() {
      const expiresAt = read();
      if (expiresAt === undefined) this.remove();
      else this.set(expiresAt / 1000);
    },
  });
  return {
    setCertificateReader(reader) {
      read = reader;
    },
  };
}

/** A gauge that is read at each scrape; returns what sets its reader. */
function ageGauge(registry: Registry, name: string, help: string) {
  let read: () => Promise<number | undefined> = async () => undefined;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const seconds = await read();
      if (seconds === undefined) this.remove();
      else this.set(Math.max(0, seconds));
    },
  });
  return (reader: typeof read): void => {
    read = reader;
  };
}

function clockMetric(registry: Registry): Pick<Metrics, 'setClockProblems'> {
  const problems = new Gauge({
    name: 'opentill_clock_problem',
    help: "1 while time-driven work is held (ahead, behind), or this server's clock is over a minute away from the database's (off).",
    labelNames: ['problem'] as const,
    registers: [registry],
  });
  const set = (problem: string, isThere: boolean) => problems.set({ problem }, isThere ? 1 : 0);
  for (const problem of [...heldReasons, 'off']) set(problem, false);
  return {
    setClockProblems({ held, isOff }) {
      for (const problem of heldReasons) set(problem, problem === held);
      set('off', isOff);
    },
  };
}

function callMetrics(registry: Registry) {
  const calls = new Counter({
    name: 'opentill_calls_total',
    help: 'Calls by operation and outcome: success, overloaded (by a limit of the server), or the code or name of the error.',
    labelNames: ['operation', 'outcome'] as const,
    registers: [registry],
    collect() {
      for (const call of countedCalls) {
        calls.inc({ operation: call.operation, outcome: call.outcome }, call.since);
        call.since = 0;
      }
    },
  });
  // Counted here and added when the metrics are read, because finding a label takes longer than counting.
  const countedCalls: { readonly operation: string; readonly outcome: string; since: number }[] = [];
  const latency = new Histogram({
    name: 'opentill_call_duration_seconds',
    help: 'Time from the first byte of a call to the end of its response.',
    labelNames: ['operation'] as const,
    buckets: latencyBuckets,
    registers: [registry],
  });
  const overloads = new Counter({
    name: 'opentill_overloaded_calls_total',
    help: 'Calls that a limit of the server has ended with 503, by app; the app is empty for calls without one.',
    labelNames: ['app'] as const,
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
    countOverload: (app: string) => overloads.inc({ app }),
    expectCalls(operations: readonly string[], outcomes: readonly string[]): void {
      for (const operation of operations) for (const outcome of outcomes) callsOf(operation)(outcome);
    },
    observeCall(operation: string, outcome: string, seconds: number): void {
      callsOf(operation)(outcome).since += 1;
      latencyOf(operation).observe(seconds);
    },
  };
}
