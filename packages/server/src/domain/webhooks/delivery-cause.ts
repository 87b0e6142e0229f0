// Why a delivery is in its state: one sentence, and the attempt or the delivery that shows it.

import {
  type DeliveryAttempt,
  type DeliveryCause,
  type DeliveryState,
  deliveryFailures,
} from '@opentill/contract/webhooks.ts';
import { attemptsMax, goneStatus, retryForMs } from './delivery-schedule.ts';

interface DeliveryFacts {
  readonly state: DeliveryState;
  /** The latest ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The attempts of the current schedule, which a redelivery restarts. */
  readonly scheduleAttempts: number;
  readonly scheduleStart: number | null;
  readonly deliveredTime: number | null;
  /** The earlier delivery that a held one waits for. */
  readonly heldBehind?: { readonly id: string; readonly order: number } | undefined;
  readonly isAppDisabled: boolean;
}

export function causeOf(facts: DeliveryFacts): DeliveryCause {
  const { state, attempts, heldBehind, isAppDisabled } = facts;
  const latest = attempts.at(-1);
  switch (state) {
    case 'delivered':
      return latestCause('delivered', latest, attempts.length, '');
    case 'dead':
      return causeOfDeath(facts);
    case 'held':
      return {
        kind: 'heldBehind',
        text: `It waits until ${heldBehind === undefined ? 'an earlier event' : `the earlier event ${heldBehind.order}`} of the same purchase is delivered or dead.`,
        ...(heldBehind !== undefined && { deliveryId: heldBehind.id }),
      };
    case 'waiting':
      if (isAppDisabled)
        return {
          kind: 'appDisabled',
          text: 'The app is disabled: its deliveries continue when it is enabled.',
        };
      return causeOfWait(facts);
  }
}

function causeOfWait({ attempts, scheduleAttempts, deliveredTime }: DeliveryFacts): DeliveryCause {
  if (attempts.length === 0) return { kind: 'notAttempted', text: 'Its first attempt has not ended yet.' };
  const isUncounted = scheduleAttempts === 0;
  if (isUncounted && deliveredTime !== null) {
    return { kind: 'rescheduled', text: 'It was delivered before, and is sent again on request.' };
  }
  if (isUncounted) {
    return { kind: 'rescheduled', text: 'Its schedule was restarted after the latest attempt.' };
  }
  return latestCause('retried', attempts.at(-1), attempts.length, ' It is retried.');
}

function causeOfDeath({ attempts, scheduleAttempts, scheduleStart }: DeliveryFacts): DeliveryCause {
  const latest = attempts.at(-1);
  if (latest?.failure === 'eventRemoved') {
    return latestCause('eventRemoved', latest, attempts.length, ' It cannot be sent.');
  }
  if (latest?.httpStatus === goneStatus && latest.failure === undefined && scheduleAttempts > 0) {
    return latestCause('gone', latest, attempts.length, ' It is not retried.');
  }
  const isOver =
    latest !== undefined &&
    scheduleStart !== null &&
    (scheduleAttempts >= attemptsMax || latest.appTime - scheduleStart >= retryForMs);
  if (isOver) return latestCause('exhausted', latest, attempts.length, ' It was the last one.');
  return { kind: 'webhookDeleted', text: 'It was abandoned because the webhook was deleted.' };
}

function latestCause(
  kind: DeliveryCause['kind'],
  latest: DeliveryAttempt | undefined,
  attempt: number,
  more: string,
): DeliveryCause {
  if (latest === undefined) return { kind, text: `Its attempts are not retained.${more}` };
  return { kind, text: `Attempt ${attempt} ${endOf(latest)}${more}`, attempt };
}

function endOf({ httpStatus, failure, location }: DeliveryAttempt): string {
  if (failure !== undefined) return `failed: ${deliveryFailures[failure]}`;
  if (location === undefined) return `got HTTP ${httpStatus}.`;
  return `failed: redirects are not followed; the receiver responded with ${httpStatus} to ${location}.`;
}
