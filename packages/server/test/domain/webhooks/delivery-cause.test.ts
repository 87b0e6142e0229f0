// Every state of a delivery has a cause: one sentence, with evidence.

import { type DeliveryAttempt, type DeliveryState, deliveryFailures } from '@opentill/contract/webhooks.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { causeOf } from '../../../src/domain/webhooks/delivery-cause.ts';
import { attemptsMax, retryForMs } from '../../../src/domain/webhooks/delivery-schedule.ts';

const start = Date.UTC(2026, 2, 16);

const attemptOf = (more: Partial<DeliveryAttempt>): DeliveryAttempt => ({
  time: start,
  appTime: start,
  latencyMs: 1,
  response: '',
  isResponseCut: false,
  ...more,
});

const untouched = {
  attempts: [],
  scheduleAttempts: 0,
  scheduleStart: null,
  deliveredTime: null,
  isAppDisabled: false,
} as const;
const rejected = attemptOf({ httpStatus: 500 });
const begun = { ...untouched, attempts: [rejected], scheduleAttempts: 1, scheduleStart: start };
const restarted = { ...begun, scheduleAttempts: 0, scheduleStart: null };

test('every state, failure and history of attempts has one sentence of cause, whose evidence exists', () => {
  const attempt = fc
    .record(
      {
        httpStatus: fc.integer({ min: 200, max: 599 }),
        failure: fc.constantFrom(...(Object.keys(deliveryFailures) as (keyof typeof deliveryFailures)[])),
      },
      { requiredKeys: ['httpStatus'] },
    )
    .map(attemptOf);
  const facts = fc.record({
    state: fc.constantFrom<DeliveryState[]>('delivered', 'waiting', 'held', 'dead'),
    attempts: fc.array(attempt, { maxLength: 20 }),
    scheduleAttempts: fc.integer({ min: 0, max: attemptsMax }),
    scheduleStart: fc.option(fc.integer({ min: start - 2 * retryForMs, max: start })),
    deliveredTime: fc.option(fc.constant(start)),
    heldBehind: fc.option(fc.constant({ id: 'evt_1', order: 1 }), { nil: undefined }),
    isAppDisabled: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (drawn) => {
      const { text, attempt: shown, deliveryId } = causeOf(drawn);
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text).not.toMatch(/undefined|null|\.\./);
      if (shown !== undefined) expect(drawn.attempts[shown - 1]).toBeDefined();
      expect(deliveryId).toBe(drawn.state === 'held' ? drawn.heldBehind?.id : undefined);
    }),
  );
});

test.each([
  ['waiting', untouched, 'notAttempted'],
  ['waiting', begun, 'retried'],
  ['dead', { ...begun, attempts: [attemptOf({ httpStatus: 410 })] }, 'gone'],
  ['dead', { ...restarted, attempts: [attemptOf({ httpStatus: 410 })] }, 'webhookDeleted'],
  ['waiting', { ...begun, isAppDisabled: true }, 'appDisabled'],
  ['waiting', restarted, 'rescheduled'],
  ['waiting', { ...restarted, deliveredTime: start }, 'rescheduled'],
  ['delivered', { ...begun, attempts: [attemptOf({ httpStatus: 204 })], deliveredTime: start }, 'delivered'],
  ['held', { ...untouched, heldBehind: { id: 'evt_14', order: 14 } }, 'heldBehind'],
  ['dead', { ...begun, scheduleAttempts: attemptsMax }, 'exhausted'],
  ['dead', { ...begun, scheduleAttempts: 2, scheduleStart: start - retryForMs }, 'exhausted'],
  ['dead', { ...begun, attempts: [attemptOf({ failure: 'eventRemoved' })] }, 'eventRemoved'],
  ['dead', begun, 'webhookDeleted'],
  ['dead', untouched, 'webhookDeleted'],
] as const)('the cause of a %s delivery is what its facts show: %#', (state, facts, kind) => {
  expect(causeOf({ ...facts, state }).kind).toBe(kind);
});
