// The clock of a sandbox app, the result of advancing it, and its next stops.

import Type, { type Static } from 'typebox';
import { Event } from './events.ts';
import { ClockMode, ClockRate, describedNameOf, Timestamp } from './fields.ts';

export const AppClock = Type.Object(
  {
    now: Timestamp,
    mode: ClockMode,
    rate: ClockRate,
    advanceTo: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description:
          'The target of an advance that is running or ended early. To resume an advance that ended early, send this instant as `to`.',
      }),
    ),
  },
  { $id: 'AppClock', description: 'The clock of an app in the sandbox.' },
);
export type AppClock = Static<typeof AppClock>;

/** Events in the response to an advance; listEvents returns all of them. */
export const happenedMax = 1_000;

export const ClockAdvance = Type.Object(
  {
    now: Timestamp,
    count: Type.Integer({
      minimum: 0,
      description: 'The number of events that happened during the advance.',
    }),
    happened: Type.Array(Event, {
      maxItems: happenedMax,
      description: `The first ${happenedMax} events, in the order in which they happened.`,
    }),
    eventsAfter: Type.Integer({
      minimum: 0,
      description:
        'The order of the last event in `happened`. Pass it to listEvents as `after` to list the events that follow.',
    }),
  },
  { $id: 'ClockAdvance' },
);
export type ClockAdvance = Static<typeof ClockAdvance>;

/** Stops in the response of getClock. */
export const upcomingStopsMax = 50;

/** Items that are counted at one instant. */
export const stopCountMax = 1_000;

/** The kinds of changes at a stop. */
export const stopKinds = {
  renewal: 'The next period of a subscription is charged for the first time.',
  retry: 'A period is charged again after a declined attempt.',
  poll: 'An attempt without a definite outcome is sent again.',
  expiry: 'A subscription with auto-payment off expires.',
  delivery: 'An event is delivered to the webhook again.',
} as const satisfies Record<string, string>;

export const StopKind = describedNameOf(stopKinds);
export type StopKind = Static<typeof StopKind>;

const ClockStop = Type.Object(
  {
    time: Type.Integer({
      ...Timestamp,
      description: 'When it is due, in ms. Not later than `now` if it is overdue.',
    }),
    kind: StopKind,
    count: Type.Integer({
      minimum: 1,
      maximum: stopCountMax,
      description: `How many are due at this instant. Only the first ${stopCountMax} of an instant are counted.`,
    }),
    id: Type.String({
      description:
        'Identifies the first of them: the first purchaseId of its subscription, or the id of the delivery.',
    }),
  },
  { $id: 'ClockStop' },
);

export const AppClockWithStops = Type.Object(
  {
    ...AppClock.properties,
    stops: Type.Array(ClockStop, {
      maxItems: upcomingStopsMax,
      description: 'What falls due next, and what is overdue: the earliest first.',
    }),
  },
  { $id: 'AppClockWithStops' },
);
export type AppClockWithStops = Static<typeof AppClockWithStops>;
