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
  answer: '',
  isAnswerCut: false,
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
  ['waiting', untouched, 'notAttempted', 'Its first attempt has not ended yet.'],
  ['waiting', begun, 'retried', 'Attempt 1 got HTTP 500. It is retried.'],
  [
    'waiting',
    { ...begun, attempts: [rejected, attemptOf({ failure: 'connectionRefused' })], scheduleAttempts: 2 },
    'retried',
    'Attempt 2 failed: The receiver refused the connection. It is retried.',
  ],
  [
    'waiting',
    { ...begun, attempts: [attemptOf({ httpStatus: 301, location: 'https://www.store.example/hooks' })] },
    'retried',
    'Attempt 1 failed: redirects are not followed; the receiver answered 301 to https://www.store.example/hooks. It is retried.',
  ],
  [
    'dead',
    { ...begun, attempts: [attemptOf({ httpStatus: 410 })] },
    'gone',
    'Attempt 1 got HTTP 410. It is not retried.',
  ],
  [
    'dead',
    { ...begun, attempts: [attemptOf({ httpStatus: 410 })], scheduleAttempts: 0, scheduleStart: null },
    'webhookDeleted',
    'It was abandoned because the webhook was deleted.',
  ],
  [
    'waiting',
    { ...begun, isAppDisabled: true },
    'appDisabled',
    'The app is disabled: its deliveries continue when it is enabled.',
  ],
  [
    'waiting',
    { ...begun, scheduleAttempts: 0, scheduleStart: null },
    'rescheduled',
    'Its schedule was restarted after the latest attempt.',
  ],
  [
    'waiting',
    { ...begun, scheduleAttempts: 0, scheduleStart: null, deliveredTime: start },
    'rescheduled',
    'It was delivered before, and is sent again on request.',
  ],
  [
    'delivered',
    { ...begun, attempts: [rejected, attemptOf({ httpStatus: 204 })], deliveredTime: start },
    'delivered',
    'Attempt 2 got HTTP 204.',
  ],
  [
    'held',
    { ...untouched, heldBehind: { id: 'evt_14', order: 14 } },
    'heldBehind',
    'It waits until the earlier event 14 of the same purchase is delivered or dead.',
  ],
  [
    'dead',
    { ...begun, scheduleAttempts: attemptsMax },
    'exhausted',
    'Attempt 1 got HTTP 500. It was the last one.',
  ],
  [
    'dead',
    { ...begun, scheduleAttempts: 2, scheduleStart: start - retryForMs },
    'exhausted',
    'Attempt 1 got HTTP 500. It was the last one.',
  ],
  [
    'dead',
    { ...begun, attempts: [attemptOf({ failure: 'eventRemoved' })] },
    'eventRemoved',
    'Attempt 1 failed: The event is no longer retained. It cannot be sent.',
  ],
  ['dead', begun, 'webhookDeleted', 'It was abandoned because the webhook was deleted.'],
  ['dead', untouched, 'webhookDeleted', 'It was abandoned because the webhook was deleted.'],
] as const)('the cause of a %s delivery is what its facts show: %#', (state, facts, kind, text) => {
  expect(causeOf({ ...facts, state })).toMatchObject({ kind, text });
});
