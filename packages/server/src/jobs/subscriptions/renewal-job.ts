// The job of a server that renews what falls due: it polls for apps that have something due, and renews them batch by batch
// in turns, next to other servers on the same database (docs/architecture.md).

import { attentionThresholds } from '@opentill/contract/attention-kinds.ts';
import { hourMs } from '../../domain/time.ts';
import {
  type CountedAnswer,
  renewBatch,
  takeDue,
} from '../../operations/subscriptions/renewal/renew-batch.ts';
import {
  type RenewalOptions,
  renewalAuthor,
} from '../../operations/subscriptions/renewal/renewal-options.ts';
import { logAlert } from '../../runtime/alert-lines.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { Database } from '../../store/connection/database.ts';
import { type DueApp, listDueApps } from '../../store/subscriptions/due-renewals.ts';
import { listPausedPackageNames, wholeStore } from '../../store/subscriptions/renewal-pauses.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';

/** How often the job polls, in ms. */
const pollEveryMs = 1_000;

/** Apps that one poll returns, the most overdue first. */
const dueAppsMax = 200;

/** Apps with a batch in flight; each has one at a time, so a server has 512 charges in flight at most. */
export const batchesAtOnceMax = 8;

/** Apps whose last batch had a charge without a clear answer: together they have this many batches, and delay no others. */
export const silentAtOnceMax = 2;

/** Statements and transactions at once: most connections are for calls, and one that waits for a lock stops no other app. */
const statementsMax = 2;

/** How long a stop waits for charges in flight, in ms; those still open are retried with their keys. */
const stopWithinMs = 3_000;

export interface RenewalJobOptions extends RenewalOptions {
  readonly database: Database;
  readonly nextRequestId: () => string;
}

export class RenewalJob implements AsyncDisposable {
  readonly #options: Omit<RenewalJobOptions, 'database'> & RenewalOptions;
  /** Apps with something due that wait for their turn, in its order. */
  readonly #waiting = new Map<string, DueApp>();
  /** Apps with a batch in flight. */
  readonly #renewing = new Map<string, Promise<void>>();
  /** Apps whose last batch had a charge without a clear answer. */
  readonly #silent = new Set<string>();
  /** The first charge of an app and cause in an hour that has had no answer for too long is logged. */
  readonly #unanswered = new FixedWindows({ windowMs: hourMs, keysMax: 10_000 });
  readonly #stopping = new AbortController();
  readonly #charging = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RenewalJobOptions) {
    this.#options = { ...options, database: options.database.forJob(statementsMax) };
  }

  start(): void {
    this.#running ??= pollUntil(this.#stopping.signal, {
      everyMs: pollEveryMs,
      poll: () => this.#poll(),
      onFailure: (error) => this.#logFailure(error),
    });
  }

  /** Begins nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await endWithin(stopWithinMs, {
      work: async () => {
        await this.#running;
        await this.#ended();
      },
      abort: () => this.#charging.abort(),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Polls once, renews all that is due, and returns the number of apps that had something due. */
  async runOnce(): Promise<number> {
    const found = await this.#poll();
    await this.#ended();
    return found;
  }

  async #ended(): Promise<void> {
    while (this.#renewing.size > 0) await Promise.all(this.#renewing.values());
  }

  async #poll(): Promise<number> {
    const { database, clock } = this.#options;
    const { storeWide } = database;
    const now = clock.now();
    const paused = await listPausedPackageNames(storeWide);
    const except = [...paused, ...this.#waiting.keys(), ...this.#renewing.keys()];
    const isPaused = paused.includes(wholeStore);
    const due = isPaused ? [] : await listDueApps(storeWide, { now, except, limit: dueAppsMax });
    if ((await clock.read(database, '')).hold !== undefined) return due.length;
    for (const app of due) this.#waiting.set(app.packageName, app);
    this.#beginBatches();
    return due.length;
  }

  #beginBatches(): void {
    if (this.#stopping.signal.aborted) return;
    for (let app = this.#next(); app !== undefined; app = this.#next()) {
      const { packageName } = app;
      this.#waiting.delete(packageName);
      this.#renewing.set(packageName, this.#takeTurn(app));
    }
  }

  /** The app that has waited longest, of those that may have a batch now. */
  #next(): DueApp | undefined {
    if (this.#renewing.size >= batchesAtOnceMax) return undefined;
    const silent = [...this.#renewing.keys()].filter((packageName) => this.#silent.has(packageName));
    const isFree = ({ packageName }: DueApp) =>
      silent.length < silentAtOnceMax || !this.#silent.has(packageName);
    return [...this.#waiting.values()].find(isFree);
  }

  /** One batch; after it the app waits behind the others, until nothing is due or all that is due is locked elsewhere. */
  async #takeTurn(app: DueApp): Promise<void> {
    let isDone = true;
    try {
      isDone = await this.#renew(app);
    } catch (error) {
      this.#logFailure(error, app.packageName);
    }
    this.#renewing.delete(app.packageName);
    if (!isDone) this.#waiting.set(app.packageName, app);
    this.#beginBatches();
  }

  /** Returns whether nothing more of the app can begin now. */
  async #renew(app: DueApp): Promise<boolean> {
    const { packageName } = app;
    const due = await takeDue(this.#options, app);
    if (due.length === 0 || this.#stopping.signal.aborted) return true;
    const author = { madeBy: renewalAuthor, requestId: this.#options.nextRequestId() };
    const batch = { packageName, author, due, charging: this.#charging.signal };
    const { begun, answers } = await renewBatch(this.#options, batch);
    this.#noteAnswers(packageName, answers);
    return begun === 0;
  }

  #noteAnswers(packageName: string, answers: readonly CountedAnswer[]): void {
    const { log, clock } = this.#options;
    this.#silent.delete(packageName);
    for (const answer of answers) {
      if (answer.outcome !== 'unknown') continue;
      this.#silent.add(packageName);
      const { status, reason, unansweredSince } = answer;
      const now = clock.now();
      if (now - (unansweredSince ?? now) < attentionThresholds.unansweredMs) continue;
      const { count } = this.#unanswered.count(`${packageName} ${status} ${reason}`, now);
      if (count === 1) logAlert(log, 'gatewaySilent', { app: packageName, status, reason });
    }
  }

  /** What could not be written stays open, and is due again when its lease ends. */
  #logFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#options.log, { error, app: packageName }, 'renewals could not be written');
  }
}
