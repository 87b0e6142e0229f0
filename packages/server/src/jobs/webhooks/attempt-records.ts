// The record of a delivery after an attempt, or while it waits for its first one.

import { type DeliveryAttempt, keptAttemptsMax } from '@opentill/contract/webhooks.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import { decideRetry, goneStatus } from '../../domain/webhooks/delivery-schedule.ts';
import type { EventScope } from '../../operations/events/public-event.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import type { DeliveryRecord } from '../../store/webhooks/delivery-records.ts';
import type { HourAttempts } from '../../store/webhooks/webhook-hours.ts';
import { type SendOutcome, unsentOutcome } from './webhook-sender.ts';

/** An attempt that does not count is retried after this time, in ms. */
const uncountedRetryMs = 60_000;

/** The subject within which events are delivered in order: a subscription or a purchase; null for other events. */
export function subjectOf({ firstPurchaseId, purchaseId }: EventRow): string | null {
  return firstPurchaseId ?? purchaseId;
}

/** The record of a delivery before its first attempt; `dueTime` is null while it is held. */
export function recordBeforeAttempt(
  event: EventRow,
  scope: EventScope,
  dueTime: number | null,
): DeliveryRecord {
  return {
    eventOrder: event.order,
    eventId: eventIdOf({ ...scope, ...event }),
    eventType: event.type,
    eventTime: event.eventTime,
    purchaseId: event.purchaseId,
    subject: subjectOf(event),
    state: dueTime === null ? 'held' : 'waiting',
    dueTime,
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

export function isDelivered({ httpStatus, failure }: SendOutcome): boolean {
  return failure === undefined && httpStatus !== undefined && httpStatus >= 200 && httpStatus <= 299;
}

/** 410: the receiver is gone for good, as webhook services agree. */
function isEndedByReceiver({ httpStatus, failure }: SendOutcome): boolean {
  return failure === undefined && httpStatus === goneStatus;
}

interface MadeAttempt {
  readonly begun: DeliveryTimes;
  /** A random number from 0 to 2^32 - 1. */
  readonly drawn: number;
  /** False for one that failed while a clock may have been wrong: its schedule neither begins nor ends. */
  readonly isCounted: boolean;
}

/** The record after an attempt. */
export function recordAfterAttempt(
  before: DeliveryRecord,
  outcome: SendOutcome,
  { begun, drawn, isCounted }: MadeAttempt,
): DeliveryRecord {
  const attempts = [...before.attempts, attemptOf(outcome, begun)].slice(-keptAttemptsMax);
  const isGone = isEndedByReceiver(outcome);
  if (!isCounted && !isGone)
    return { ...before, attempts, state: 'waiting', dueTime: begun.now + uncountedRetryMs };
  const scheduleStart = before.scheduleStart ?? begun.now;
  const scheduleAttempts = before.scheduleAttempts + 1;
  const made = { ...before, scheduleStart, scheduleAttempts, attempts };
  if (isDelivered(outcome)) {
    const deliveredTime = before.deliveredTime ?? begun.now;
    return { ...made, state: 'delivered', dueTime: null, deliveredTime };
  }
  const retry = { attempts: scheduleAttempts, scheduleStart, now: begun.now, drawn };
  const dueTime = isGone ? undefined : decideRetry(retry);
  return dueTime === undefined
    ? { ...made, state: 'dead', dueTime: null }
    : { ...made, state: 'waiting', dueTime };
}

/** The record of a delivery whose event was removed at the end of its retention time. */
export function recordOfRemovedEvent(before: DeliveryRecord, at: DeliveryTimes): DeliveryRecord {
  const attempts = [...before.attempts, attemptOf(unsentOutcome('eventRemoved'), at)].slice(-keptAttemptsMax);
  return { ...before, state: 'dead', dueTime: null, attempts };
}

/** An hour of attempts with one more. */
export function addAttempt(hour: HourAttempts, outcome: SendOutcome): HourAttempts {
  return {
    hour: hour.hour,
    attempts: hour.attempts + 1,
    failed: hour.failed + (isDelivered(outcome) ? 0 : 1),
    within100: hour.within100 + (outcome.latencyMs <= 100 ? 1 : 0),
    within1000: hour.within1000 + (outcome.latencyMs <= 1_000 ? 1 : 0),
  };
}

function attemptOf(outcome: SendOutcome, { realNow, now }: DeliveryTimes): DeliveryAttempt {
  const { httpStatus, failure, location, latencyMs, answer, isAnswerCut } = outcome;
  return {
    time: realNow,
    appTime: now,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(failure !== undefined && { failure }),
    ...(location !== undefined && { location }),
    latencyMs,
    answer,
    isAnswerCut,
  };
}
