// The clock of a sandbox app, and the result of advancing it.

import Type, { type Static } from 'typebox';
import { Event } from './events.ts';
import { ClockMode, ClockRate, Timestamp } from './fields.ts';

export const AppClock = Type.Object(
  {
    now: Timestamp,
    mode: ClockMode,
    rate: ClockRate,
    advanceTo: Type.Optional(
      Type.Integer({
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
