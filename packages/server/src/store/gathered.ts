// Lets requests that wait for the same turn share one statement when it comes, each with an outcome of its own.

import type { Database } from './database.ts';
import { DatabaseUnavailable } from './database-failure.ts';
import type { TurnScope } from './turns.ts';

/** Requests that share one turn; more of them have no room in one statement and are refused. */
const gatheredMax = 1_000;

type Requests<Request> = [Request, ...Request[]];

interface Gathering<Request, Result> {
  readonly requests: Requests<Request>;
  results: Promise<readonly Result[]>;
}

/**
 * A function of one request that is answered together with all that came for the same scope before its turn
 * did. `run` gets them in the order of the calls and gives as many results.
 */
export function gathered<Request, Result>(
  database: Database,
  scopeOf: (request: Request) => TurnScope,
  run: (requests: Requests<Request>) => Promise<readonly Result[]>,
): (request: Request) => Promise<Result> {
  const gatherings = new Map<string, Gathering<Request, Result>>();

  const begin = (name: string, scope: TurnScope, request: Request): Gathering<Request, Result> => {
    const requests: Requests<Request> = [request];
    const end = () => {
      if (gatherings.get(name)?.requests === requests) gatherings.delete(name);
    };
    const gathering: Gathering<Request, Result> = { requests, results: Promise.resolve([]) };
    gatherings.set(name, gathering);
    gathering.results = database
      .inTurn(scope, () => {
        end();
        return run(requests);
      })
      // Also when the turn never came.
      .finally(end);
    return gathering;
  };

  return async (request) => {
    const scope = scopeOf(request);
    const name = `${scope.packageName}/${scope.record}`;
    const known = gatherings.get(name);
    if (known !== undefined && known.requests.length >= gatheredMax) {
      throw new DatabaseUnavailable('Too many requests wait for the same record.');
    }
    const gathering = known ?? begin(name, scope, request);
    const place = known === undefined ? 0 : known.requests.push(request) - 1;
    return (await gathering.results)[place] as Result;
  };
}
