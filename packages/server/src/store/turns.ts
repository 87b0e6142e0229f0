// Keeps work that waits for a held row from taking the connections of all others: work on one record goes one
// after another, and one app has a few connections at most (docs/decisions/held-rows.md).

import { DatabaseUnavailable } from './database-failure.ts';

/** What work locks rows of. */
export interface TurnScope {
  readonly packageName: string;
  /** Names what is worked on within the app; work on the same record never runs at the same time. */
  readonly record: string;
}

/** A turn that comes later than this is not taken, in ms: its caller has been answered, or is about to be. */
const turnWaitMaxMs = 1_500;

/** Work that waits for its turn, for each app: more than this cannot be done within that time. */
const waitingMax = 2_000;

interface Waiting {
  readonly record: string;
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (failure: DatabaseUnavailable) => void;
}

interface AppTurns {
  readonly busyRecords: Set<string>;
  waiting: Waiting[];
}

export class Turns {
  readonly #inTurnMax: number;
  readonly #apps = new Map<string, AppTurns>();

  /** `inTurnMax`: work under way at once, for each app. */
  constructor(inTurnMax: number) {
    this.#inTurnMax = inTurnMax;
  }

  /**
   * Runs `work` as soon as nothing else of its record runs and its app has room; first come, first served.
   * @throws DatabaseUnavailable, with `work` not begun, when that takes too long.
   */
  async take<Result>(scope: TurnScope, work: () => Promise<Result>): Promise<Result> {
    const app = this.#apps.get(scope.packageName) ?? { busyRecords: new Set(), waiting: [] };
    this.#apps.set(scope.packageName, app);
    if (this.#mayRun(app, scope.record)) app.busyRecords.add(scope.record);
    else await waitForTurn(app, scope.record);
    try {
      return await work();
    } finally {
      app.busyRecords.delete(scope.record);
      this.#pass(scope.packageName, app);
    }
  }

  #mayRun(app: AppTurns, record: string): boolean {
    return app.busyRecords.size < this.#inTurnMax && !app.busyRecords.has(record);
  }

  #pass(packageName: string, app: AppTurns): void {
    const now = performance.now();
    app.waiting = app.waiting.filter((waiting) => {
      if (now - waiting.since > turnWaitMaxMs) {
        waiting.refuse(tooLate());
        return false;
      }
      if (!this.#mayRun(app, waiting.record)) return true;
      app.busyRecords.add(waiting.record);
      waiting.begin();
      return false;
    });
    if (app.busyRecords.size === 0) this.#apps.delete(packageName);
  }
}

function waitForTurn(app: AppTurns, record: string): Promise<void> {
  if (app.waiting.length >= waitingMax) throw tooLate();
  return new Promise((begin, refuse) => {
    app.waiting.push({ record, since: performance.now(), begin, refuse });
  });
}

function tooLate(): DatabaseUnavailable {
  return new DatabaseUnavailable('Other work on the same record or app took too long.');
}
