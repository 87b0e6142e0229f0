// Lists the events of the token's app in order, starting after a cursor.

import { EventPage, EventsQuery } from '../event-feed.ts';
import { listEvents as operatorOperation } from '../operator-api/listEvents.ts';
import type { EventsOperation } from './events-operation.ts';

export const listEvents = {
  operationId: 'listEvents',
  method: 'GET',
  path: '/events/v1/events',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  query: EventsQuery,
  response: EventPage,
  isLongPoll: true,
  errors: ['unauthorized', 'invalidRequest', 'gone'],
} as const satisfies EventsOperation;
