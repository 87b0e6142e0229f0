// The feed of events, page by page: what operators and developers ask of it, and what they get.

import Type, { type Static } from 'typebox';
import { Event } from './events.ts';
import { pageSize } from './limits.ts';
import { pageSizeQuery } from './operator-api/paging.ts';

/** Longest wait of a call: proxies and clients give a silent connection a minute. */
const waitSecondsMax = 30;

/** In place of a cursor: none of the events that there are, all that come. */
export const fromNow = 'now';

/** Room for the longest cursor, an event's id; what is longer is none. */
const cursorLengthMax = 64;

export const EventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: cursorLengthMax,
        description: `Events after this place only: the cursor of the page before, the id or the order of an event, or \`${fromNow}\`. Left out, the feed begins with the oldest event that is kept.`,
      }),
    ),
    pageSize: pageSizeQuery,
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: waitSecondsMax,
        default: 0,
        description:
          'While there is no event, waits for one, so many seconds at most; the page is empty when none came.',
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
      description: 'In order, without a gap, beginning right after the place that was asked for.',
    }),
    cursor: Type.String({
      maxLength: cursorLengthMax,
      description:
        'Where to read on: `after` of the next call. Keep it once the events of the page are dealt with, also of an empty page.',
    }),
    hasMore: Type.Boolean({ description: 'There are further events already.' }),
  },
  { $id: 'EventPage' },
);
export type EventPage = Static<typeof EventPage>;
