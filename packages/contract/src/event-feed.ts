// The query and the pages of the event feed, for operators and developers.

import Type, { type Static } from 'typebox';
import { Event } from './events.ts';
import { pageSize } from './limits.ts';
import { pageSizeQuery } from './operator-api/paging.ts';

/** Longest wait of a call: proxies and clients commonly close a silent connection after a minute. */
const waitSecondsMax = 30;

/** A cursor that skips all existing events. */
export const fromNow = 'now';

/** Fits the longest cursor, which is an event id. */
const cursorLengthMax = 64;

export const EventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: cursorLengthMax,
        description: `Return only events after this position: the cursor of the previous page, the id or order of an event, or \`${fromNow}\`. By default, the feed starts with the oldest retained event.`,
      }),
    ),
    pageSize: pageSizeQuery,
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: waitSecondsMax,
        default: 0,
        description:
          'If there are no events, wait up to this many seconds for one. If none arrives, the page is empty.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EventsQuery = Static<typeof EventsQuery>;

export const EventPage = Type.Object(
  {
    events: Type.Array(Event, {
      maxItems: pageSize.max,
      description: 'Events in order and without gaps, starting right after the requested position.',
    }),
    cursor: Type.String({
      maxLength: cursorLengthMax,
      description:
        'Pass it as `after` in the next call. Store it after processing the events of the page, even if the page is empty.',
    }),
    hasMore: Type.Boolean({ description: 'Whether more events are available now.' }),
  },
  { $id: 'EventPage' },
);
export type EventPage = Static<typeof EventPage>;
