// Lists the events of an app in their order, each once, from wherever a reader stands.

import { EventPage, EventsQuery } from '../event-feed.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const listEvents = {
  operationId: 'listEvents',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/events',
  summary: 'List the events of the app, oldest first, and wait for new ones',
  description:
    'Whoever follows the cursor sees each event once and skips none, whatever is written meanwhile; an event is there as soon as its change is. A place whose next event is not kept, or at which another event stands since a backup was restored, is answered with 410: begin anew with the oldest that is kept, or from now.',
  roles: ['support', 'admin'],
  waits: true,
  pathParameters: { packageName: PackageName },
  query: EventsQuery,
  responses: { 200: EventPage },
  errors: ['forbidden', 'invalidRequest', 'notFound', 'gone'],
} as const satisfies OperatorOperation;
