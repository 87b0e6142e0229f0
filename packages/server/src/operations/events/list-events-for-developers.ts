// Lists the events of the token's app in their order, and waits for new ones.

import type { ErrorName } from '@opentill/contract/errors.ts';
import { listEvents as operation } from '@opentill/contract/events-api/listEvents.ts';
import { type EventsHandler, eventsHandler } from '../events-handler.ts';
import { Refusal } from '../refusal.ts';
import type { EventsAnswer, ListEvents } from './list-events.ts';

const errorOf = {
  unusable: 'invalidRequest',
  gone: 'gone',
  appFull: 'tooManyRequests',
  serverFull: 'unavailable',
  // The app was there when its token was checked.
  unknownApp: 'unauthorized',
} as const satisfies Record<Exclude<EventsAnswer['kind'], 'page'>, ErrorName>;

export function listEvents(list: ListEvents): EventsHandler {
  return eventsHandler(operation, async (call) => {
    const answer = await list(call);
    if (answer.kind === 'page') return answer.page;
    if (answer.kind === 'unknownApp') return new Refusal(errorOf.unknownApp);
    const message = answer.kind === 'unusable' ? `after: ${answer.message}.` : answer.message;
    return new Refusal(errorOf[answer.kind], message);
  });
}
