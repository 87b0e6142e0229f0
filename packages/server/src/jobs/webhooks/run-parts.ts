// The dependencies and limits of the runs that deliver webhooks.

import type { WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import type { EventScope } from '../../operations/events/public-event.ts';
import type { AdaptiveLimit, AdaptiveLimits } from '../../runtime/adaptive-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { ClockGuard } from '../../store/clocks/clock-guard.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { DeliveryWrite } from '../../store/webhooks/delivery-records.ts';
import type {
  DueDelivery,
  DueRequest,
  FreshEvent,
  FreshRequest,
} from '../../store/webhooks/undelivered-events.ts';
import type { Endpoint } from '../../store/webhooks/webhook-leases.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Slots for attempts, each with a connection and an event of some kilobytes. A webhook is a key. */
export const attemptLimits = {
  total: 512,
  crowdedFrom: 256,
  perKeyMax: 128,
  initial: 8,
  // A receiver that responds to three of four attempts keeps growing.
  noResponseCost: 2,
  unresponsiveMax: 64,
} as const satisfies AdaptiveLimits;

/** A run that continues extends its lease after this time, in ms. */
export const extendLeaseAfterMs = 5_000;

/** How often a run reads new events, its webhook and the clock of its app, in ms. */
export const refreshEveryMs = 200;

/** How often a run reads due deliveries, in ms. */
export const dueEveryMs = 1_000;

/** Records are written when there are this many, or after this many ms; after a crash, unwritten deliveries are repeated. */
export const writeBatchMin = 64;
export const gatherMs = 25;

/** Deliveries of a webhook in memory: twice its limit of attempts in flight, within these limits. */
export const windowMin = 32;
export const windowMax = 256;

/** A webhook that delays others, or does not respond, releases its lease after this time, in ms. */
export const leaseMaxMs = 10_000;

/** A run without a slot ends after this time, in ms. */
export const slotWaitMaxMs = 1_000;

/** A failed write is retried after this time, in ms, until the lease may have ended. */
export const writeRetryMs = 250;

/** How an attempt ended: `failed` is retried, `dead` was the last one. */
export type AttemptEnd = 'delivered' | 'failed' | 'dead';

/** Reads share statements with those of other webhooks, and so do most writes. */
export interface DeliveryStore {
  readEndpoint(packageName: string): Promise<Endpoint | undefined>;
  readFresh(request: FreshRequest): Promise<FreshEvent[]>;
  readDue(request: DueRequest): Promise<DueDelivery[]>;
  /** False if it was not written; writing it alone may succeed. */
  writeDelivered(write: DeliveryWrite): Promise<boolean>;
  /** False if the lease is lost. */
  writeRecords(write: DeliveryWrite, now: number): Promise<boolean>;
}

export interface RunSettings {
  readonly store: DeliveryStore;
  readonly sender: WebhookSender;
  readonly rules: WebhookRules;
  readonly slots: AdaptiveLimit;
  readonly clock: Clock;
  /** Holds the end of deliveries while a clock may be wrong. */
  readonly clocks: Pick<ClockGuard, 'mayGiveUp'>;
  readonly randomness: Randomness;
  /** undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onAttempt: (end: AttemptEnd) => void;
  /** Whether other webhooks wait for this run to end. */
  readonly isCrowded: () => boolean;
  readonly stopping: AbortSignal;
}

/** The lease of a run. */
export interface RunLease {
  readonly scope: EventScope;
  readonly holder: string;
  readonly cursorOrder: number;
  /** Whether deliveries are due; otherwise there are new events. */
  readonly hasDue: boolean;
}
