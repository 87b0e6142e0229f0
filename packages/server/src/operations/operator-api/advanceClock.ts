// Moves the clock of an app forward, and answers when all that falls due until then has happened.

import { advanceClock as operation } from '@opentill/contract/operator-api/advanceClock.ts';
import { findApp } from '../../store/apps.ts';
import type { Database } from '../../store/database.ts';
import type { Advance, AdvanceApp } from '../advance-clock.ts';
import { shownEvent } from '../event-view.ts';
import { noSuchApp } from './missing.ts';
import { type AnswerOf, answered, type OperatorHandler, operatorHandler } from './operator-handler.ts';

/** Told to whoever wants to move or set a clock meanwhile. */
export const advanceUnderWay =
  'An advance of the clock of this app is under way: wait until it is answered, and repeat the call then.';

type Answer = AnswerOf<typeof operation>;

export function advanceClock(database: Database, advance: AdvanceApp): OperatorHandler {
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
      return { problem: 'invalidRequest', detail: `${field ?? 'body'}: ${message}.`, errors };
    }
    case 'noPlace':
      return { problem: 'unavailable', detail: 'This server advances too many clocks: try again later.' };
    case 'underWay':
      return { problem: 'conflict', detail: advanceUnderWay };
    case 'lost':
      return {
        problem: 'conflict',
        detail: `The clock of the app was reset or taken over: ${goesOn(advanced)}`,
      };
    case 'tooMuch':
      return { problem: 'conflict', detail: `More falls due than one call takes on: ${goesOn(advanced)}` };
    case 'tooLong':
      return { problem: 'conflict', detail: `It takes longer than one call may: ${goesOn(advanced)}` };
    case 'stopping':
      return { problem: 'unavailable', detail: `The server stops: ${goesOn(advanced)}` };
  }
}

function goesOn({ now, to }: { readonly now: number; readonly to: number }): string {
  return `the clock stands at ${now}. Repeat the call with "to": ${to}, and it goes on.`;
}
