// The record of a delivery after an attempt, or while it waits for its first one.

import { type DeliveryAttempt, keptAttemptsMax } from '@opentill/contract/webhooks.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import { decideRetry, goneStatus } from '../../domain/webhooks/delivery-schedule.ts';
import type { EventScope } from '../../operations/events/public-event.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import type { DeliveryRecord } from '../../store/webhooks/delivery-rounds.ts';
import { isDelivered, type SendOutcome, unsentOutcome } from './webhook-sender.ts';

/** The subject within which events are delivered in order: a subscription or a purchase; null for other events. */
export function subjectOf({ firstPurchaseId, purchaseId }: EventRow): string | null {
  return firstPurchaseId ?? purchaseId;
}

/** The record of an event that is held behind an earlier one of its subject. */
export function heldRecord(event: EventRow, scope: EventScope): DeliveryRecord {
  return {
    eventOrder: event.order,
    eventId: eventIdOf({ ...scope, ...event }),
    eventType: event.type,
    eventTime: event.eventTime,
    purchaseId: event.purchaseId,
    subject: subjectOf(event),
    state: 'held',
    dueTime: null,
    scheduleStart: null,
    scheduleAttempts: 0,
    deliveredTime: null,
    attempts: [],
  };
}

export interface DeliveryTimes {
  readonly realNow: number;
  /** The app's time. */
  readonly now: number;
}

/** 410: the receiver is gone for good, as webhook services agree. */
export function isEndedByReceiver({ httpStatus, failure }: SendOutcome): boolean {
  return failure === undefined && httpStatus === goneStatus;
}

export interface Attempt {
  readonly event: EventRow;
  /** The record of earlier attempts; undefined for the first one of a new event. */
  readonly before: DeliveryRecord | undefined;
  readonly begun: DeliveryTimes;
  readonly outcome: SendOutcome;
}

interface Recording {
  readonly scope: EventScope;
  /** The app's instant of the retry of a failure that does not count: its schedule neither begins nor ends. */
  readonly uncountedUntil: number | undefined;
  readonly randomness: Randomness;
}

/** The record after an attempt. */
export function recordAfter(
  { event, before: known, begun, outcome }: Attempt,
  { scope, uncountedUntil, randomness }: Recording,
): DeliveryRecord {
  const before = known ?? heldRecord(event, scope);
  const attempts = [...before.attempts, attemptOf(outcome, begun)].slice(-keptAttemptsMax);
  const isFailed = !isDelivered(outcome) && !isEndedByReceiver(outcome);
  if (isFailed && uncountedUntil !== undefined)
    return { ...before, attempts, state: 'waiting', dueTime: uncountedUntil };
  const scheduleStart = before.scheduleStart ?? begun.now;
  const scheduleAttempts = before.scheduleAttempts + 1;
  const made = { ...before, scheduleStart, scheduleAttempts, attempts };
  if (isDelivered(outcome)) {
    const deliveredTime = before.deliveredTime ?? begun.now;
    return { ...made, state: 'delivered', dueTime: null, deliveredTime };
  }
  const retry = { attempts: scheduleAttempts, scheduleStart, now: begun.now, drawn: randomness.uint32() };
  const dueTime = isFailed ? decideRetry(retry) : undefined;
  return dueTime === undefined
    ? { ...made, state: 'dead', dueTime: null }
    : { ...made, state: 'waiting', dueTime };
}

/** The record of a delivery whose event was removed at the end of its retention time. */
export function recordOfRemovedEvent(before: DeliveryRecord, at: DeliveryTimes): DeliveryRecord {
  const attempts = [...before.attempts, attemptOf(unsentOutcome('eventRemoved'), at)].slice(-keptAttemptsMax);
  return { ...before, state: 'dead', dueTime: null, attempts };
}

function attemptOf(outcome: SendOutcome, { realNow, now }: DeliveryTimes): DeliveryAttempt {
  const { httpStatus, failure, failureCode, location, latencyMs, response, isResponseCut } = outcome;
  return {
    time: realNow,
    appTime: now,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(failure !== undefined && { failure }),
    ...(failureCode !== undefined && { failureCode }),
    ...(location !== undefined && { location }),
    latencyMs,
    response,
    isResponseCut,
  };
}
