// Lists the events of an app in order, starting after a cursor.

import { EventPage, EventsQuery } from '../event-feed.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const listEvents = {
  operationId: 'listEvents',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/events',
  summary: 'List the events of the app, oldest first, and wait for new ones',
  description:
    'A client that follows the cursor gets each event exactly once. An event is listed as soon as its change is visible. The response is 410 if the event after the cursor is no longer retained, or if a restored backup has another event at that position: start again with the oldest retained event, or with `now`.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  isLongPoll: true,
  pathParameters: { packageName: PackageName },
  query: EventsQuery,
  responses: { 200: EventPage },
  errors: ['forbidden', 'invalidRequest', 'notFound', 'gone'],
} as const satisfies OperatorOperation;
