// Moves the clock of an app forward, and answers when all that falls due until then has happened.

import { advanceClock as operation } from '@opentill/contract/operator-api/advanceClock.ts';
import { findApp } from '../../store/apps/apps.ts';
import { shownEvent } from '../events/event-view.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { type AnswerOf, answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import type { Advance } from './advance-clock.ts';

/** For calls that move or set the clock of an app during an advance. */
export const advanceUnderWay = 'The clock of this app is being advanced: retry when that call has returned.';

type Answer = AnswerOf<typeof operation>;

export function advanceClock({ store: { database }, advance }: Uses<'store' | 'advance'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, author }): Promise<Answer> => {
    const { packageName } = path;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const { by, to } = body;
    return answerOf(await advance({ packageName, by, to, requestId: author.requestId }), packageName);
  });
}

function answerOf(advanced: Advance, packageName: string): Answer {
  switch (advanced.kind) {
    case 'done': {
      const { now, count, happened, eventsAfter } = advanced;
      const events = happened.map((row) => shownEvent(row, { environment: 'sandbox', packageName }));
      return answered(200, { now, count, happened: events, eventsAfter });
    }
    case 'refused': {
      const { field, message } = advanced;
      const errors = [{ path: field === undefined ? '' : `/${field}`, message }];
      return new Refusal('invalidRequest', `${field ?? 'body'}: ${message}.`, errors);
    }
    case 'noPlace':
      return new Refusal('unavailable', 'This server is advancing too many clocks. Try again later.');
    case 'underWay':
      return new Refusal('conflict', advanceUnderWay);
    case 'lost':
      return new Refusal(
        'conflict',
        `The app was reset, or another server took over its clock: ${goesOn(advanced)}`,
      );
    case 'tooMuch':
      return new Refusal('conflict', `More items are due than one call can process: ${goesOn(advanced)}`);
    case 'tooLong':
      return new Refusal('conflict', `The advance exceeded the time limit of one call: ${goesOn(advanced)}`);
    case 'stopping':
      return new Refusal('unavailable', `The server is shutting down: ${goesOn(advanced)}`);
  }
}

function goesOn({ now, to }: { readonly now: number; readonly to: number }): string {
  return `the clock is at ${now}. To continue, repeat the call with "to": ${to}.`;
}
