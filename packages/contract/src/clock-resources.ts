// What the sandbox shows of the clock of an app, and of what happened while it was advanced.

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
          'Present while an advance is under way, and after one that ended before it got there: repeated with this instant as `to`, it goes on.',
      }),
    ),
  },
  { $id: 'AppClock', description: 'The time that the app lives in.' },
);
export type AppClock = Static<typeof AppClock>;

/** Events that an advance shows; listEvents has all of them. */
export const happenedMax = 1_000;

export const ClockAdvance = Type.Object(
  {
    now: Timestamp,
    count: Type.Integer({ minimum: 0, description: 'The events of all that happened.' }),
    happened: Type.Array(Event, {
      maxItems: happenedMax,
      description: `The first ${happenedMax} of them, in the order in which they happened.`,
    }),
    eventsAfter: Type.Integer({
      minimum: 0,
      description:
        'The order of the last event shown. Those that follow it are not: listEvents lists them after it.',
    }),
  },
  { $id: 'ClockAdvance' },
);
export type ClockAdvance = Static<typeof ClockAdvance>;
