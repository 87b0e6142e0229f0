// What delivering for one webhook needs, and the bounds of it.

import type { WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import type { EventScope } from '../../operations/events/event-view.ts';
import type { AdaptiveLimit, AdaptiveLimits } from '../../runtime/adaptive-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
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

/** In ms: a lease outlives an attempt and the write after it. With the server that held it, deliveries stop so long. */
export const leaseMs = 15_000;

/** While attempts go on without an end, the lease is renewed after this time, in ms. */
export const renewAfterMs = 5_000;

/** What may have changed is looked at again after this time, in ms: new events, the URL, the clock of the app. */
export const refreshEveryMs = 200;

/** What has fallen due meanwhile is looked at again after this time, in ms. */
export const dueEveryMs = 1_000;

/** Records are written when so many have come together, or after so many ms: a kill repeats as many deliveries. */
export const writtenTogether = 64;
export const gatherMs = 25;

/** The deliveries in memory, of one webhook: twice what may be under way, within these bounds. */
export const windowMin = 32;
export const windowMax = 256;

/** A webhook that keeps others waiting, or does not answer, gives its lease back after this time, in ms. */
export const turnMs = 10_000;

/** Without a slot for so long, in ms, a run ends. */
export const slotlessMs = 1_000;

/** A write that failed is tried again after this time, in ms, until the lease may have ended. */
export const rewriteAfterMs = 250;

/** How an attempt ended: it failed and is tried again, or it was the last one. */
export type AttemptEnd = 'delivered' | 'failed' | 'dead';

/** Reads share statements with those of other webhooks, and so do most writes. */
export interface DeliveryStore {
  readEndpoint(packageName: string): Promise<Endpoint | undefined>;
  readFresh(request: FreshRequest): Promise<FreshEvent[]>;
  readDue(request: DueRequest): Promise<DueDelivery[]>;
  /** False: written alone, it may succeed. */
  writeDelivered(write: DeliveryWrite): Promise<boolean>;
  /** False: the lease is lost. */
  writeRecords(write: DeliveryWrite, now: number): Promise<boolean>;
}

export interface RunSettings {
  readonly store: DeliveryStore;
  readonly sender: WebhookSender;
  readonly rules: WebhookRules;
  readonly slots: AdaptiveLimit;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onAttempt: (end: AttemptEnd) => void;
  /** Others wait until this one ends. */
  readonly isCrowded: () => boolean;
  readonly stopping: AbortSignal;
}

/** A lease that was taken. */
export interface RunLease {
  readonly scope: EventScope;
  readonly holder: string;
  readonly cursorOrder: number;
  /** Something is due; otherwise events have come. */
  readonly hasDue: boolean;
}
