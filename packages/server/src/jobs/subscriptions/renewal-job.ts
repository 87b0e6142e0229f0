// The job of a server that renews what falls due: it polls for apps that have something due, and charges as much of it as
// slots are free, next to other servers on the same database (docs/architecture.md).
//
// Each app that has something due, in flight or to be written is in one mode:
//
//         found due, or a charge ended           first in the queue
//   idle -----------------------------> queued ---------------------> inTurn
//    ^                                   ^  ^                         | | |
//    |                a slot is released |  +-- more to do -----------+ | |
//    |    or one of its own charges ends |                              | |
//    |                                waiting <-- no slot is free ------+ |
//    +--------------------------------------------- nothing more to do ---+

import assert, { AssertionError } from 'node:assert/strict';
import { attentionThresholds } from '@opentill/contract/attention-kinds.ts';
import PQueue from 'p-queue';
import { beginRenewals } from '../../charging/begin-renewals.ts';
import type { AnsweredCharge, Charge } from '../../charging/charges.ts';
import type { RenewalOptions } from '../../charging/renewal-options.ts';
import { sendCharge, yieldToEventLoop } from '../../charging/send-charge.ts';
import { settleAnswered } from '../../charging/settle-renewals.ts';
import { batchOf, renewalAuthor } from '../../domain/subscriptions/renewal.ts';
import { hourMs } from '../../domain/time.ts';
import { logAlert } from '../../runtime/alert-lines.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import { pause } from '../../runtime/pause.ts';
import type { Author } from '../../store/events/events.ts';
import { listDueApps } from '../../store/subscriptions/due-renewals.ts';
import { lockDueSubscriptions } from '../../store/subscriptions/subscription-locks.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';
import { AppCharges, type AppMode } from './app-charges.ts';

/** How often the job polls, in ms. */
const pollEveryMs = 1_000;

/** Apps that one poll returns, the most overdue first. */
const dueAppsMax = 200;

/** Charges of a server in flight. */
export const chargesMax = 512;

/** Turns at once, each a transaction at a time: most connections are for calls, and one that waits for a lock stops no other app. */
const turnsAtOnceMax = 2;

/** How long a stop waits for charges in flight and for locks, in ms; those still open are retried with their keys. */
const stopWithinMs = 3_000;

const transitions: Readonly<Record<AppMode, readonly AppMode[]>> = {
  idle: ['queued'],
  queued: ['inTurn'],
  inTurn: ['queued', 'waiting', 'idle'],
  waiting: ['queued'],
};

export interface RenewalJobOptions extends RenewalOptions {
  readonly nextRequestId: () => string;
}

export class RenewalJob implements AsyncDisposable {
  readonly #options: RenewalJobOptions;
  /** Apps with something due or in flight. */
  readonly #apps = new Map<string, AppCharges>();
  readonly #turns = new PQueue({ concurrency: turnsAtOnceMax });
  /** Apps that are waiting, the one that has waited longest first. */
  readonly #waiting = new Set<AppCharges>();
  /** Turns and charges. */
  readonly #work = new Set<Promise<void>>();
  #inFlight = 0;
  /** Which unanswered charges were logged within the hour. */
  readonly #logged = new FixedWindows(hourMs);
  readonly #stopping = new AbortController();
  readonly #charging = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RenewalJobOptions) {
    this.#options = options;
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
        await this.#untilDone();
        await this.#untilWritten();
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
    await this.#untilDone();
    return found;
  }

  async #untilDone(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Retries what could not be written until the stop has waited long enough, and a last time then. */
  async #untilWritten(): Promise<void> {
    const { signal } = this.#charging;
    const hasUnwritten = () => [...this.#apps.values()].some((app) => app.hasUnwritten);
    while (!signal.aborted && hasUnwritten()) {
      await pause(pollEveryMs, { signal }).catch(() => undefined);
      this.#retryUnwritten();
      await this.#untilDone();
    }
  }

  #retryUnwritten(): void {
    for (const app of this.#apps.values()) {
      app.retryUnwritten();
      if (app.isWritable) this.#wake(app);
    }
  }

  #track(app: AppCharges, work: Promise<void>): void {
    const tracked = work
      .catch((error) => this.#restart(app, error))
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** An assertion about the app is broken: the next poll queues it again, and the others go on. */
  #restart(app: AppCharges, error: unknown): void {
    if (!(error instanceof AssertionError)) throw error;
    const { log, testing } = this.#options;
    logAlert(log, 'renewalsBroken', { app: app.packageName, err: error });
    this.#waiting.delete(app);
    app.mode = 'idle';
    app.hasDue = false;
    this.#inFlight = Math.max(0, this.#inFlight);
    this.#wakeWaiting();
    testing?.onBroken?.(error);
  }

  async #poll(): Promise<number> {
    const { clock, environment } = this.#options;
    const { storeWide } = this.#options.database;
    const now = clock.now();
    const except = [...this.#apps.values()]
      .filter(({ hasDue }) => hasDue)
      .map(({ packageName }) => packageName);
    const due = await listDueApps(storeWide, { now, except, limit: dueAppsMax });
    this.#retryUnwritten();
    for (const { packageName, now: dueUntil } of due) {
      const app = this.#apps.get(packageName) ?? new AppCharges(packageName, { environment });
      app.findDue(dueUntil);
      this.#apps.set(packageName, app);
      this.#wake(app);
    }
    return due.length;
  }

  #enter(app: AppCharges, mode: AppMode): void {
    assert(transitions[app.mode].includes(mode), `An app that is ${app.mode} cannot become ${mode}.`);
    app.mode = mode;
    if (mode === 'waiting') this.#waiting.add(app);
    else this.#waiting.delete(app);
  }

  /** The turn of an app that is queued or in turn will see what has changed. */
  #wake(app: AppCharges): void {
    if (app.mode === 'idle' || app.mode === 'waiting') this.#queueTurn(app);
  }

  #wakeWaiting(): void {
    const [first] = this.#inFlight < chargesMax ? this.#waiting : [];
    if (first !== undefined) this.#wake(first);
  }

  #queueTurn(app: AppCharges): void {
    this.#enter(app, 'queued');
    const turn = this.#turns.add(() => this.#takeTurn(app));
    this.#track(app, turn);
  }

  /** Writes what has ended since the last turn, and begins what is due. */
  async #takeTurn(app: AppCharges): Promise<void> {
    this.#enter(app, 'inTurn');
    try {
      await this.#settle(app);
      await this.#begin(app);
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      // What has no clear answer stays open, and is due again when its lease ends.
      app.hasDue = false;
      this.#logFailure(error, app.packageName);
    }
    if (app.isWritable || this.#slotsFor(app) > 0) this.#queueTurn(app);
    else this.#enter(app, this.#canBegin(app) ? 'waiting' : 'idle');
    if (app.isDone) this.#apps.delete(app.packageName);
    this.#wakeWaiting();
  }

  async #settle(app: AppCharges): Promise<void> {
    const answered = app.isWritable ? app.takeAnswered() : [];
    if (answered.length === 0) return;
    const settling = { packageName: app.packageName, author: this.#author(), answered };
    const { unwritten, error } = await settleAnswered(this.#options, settling);
    app.keepUnwritten(unwritten);
    if (error !== undefined) this.#logFailure(error, app.packageName);
  }

  #canBegin(app: AppCharges): boolean {
    return app.hasDue && app.freeSlots > 0 && !this.#stopping.signal.aborted;
  }

  /** One app gets at most half of what is free, so that a few whose gateways hang leave slots to the others. */
  #slotsFor(app: AppCharges): number {
    if (!this.#canBegin(app)) return 0;
    return Math.min(app.freeSlots, Math.ceil((chargesMax - this.#inFlight) / 2));
  }

  async #begin(app: AppCharges): Promise<void> {
    const slots = this.#slotsFor(app);
    if (slots === 0) return;
    this.#inFlight += slots;
    let begun: readonly Charge[] = [];
    try {
      begun = await this.#beginDue(app, slots);
    } finally {
      this.#release(slots - begun.length);
    }
    app.begin(begun.length, slots);
    for (const one of begun) {
      this.#track(app, this.#charge(app, one));
      await yieldToEventLoop();
    }
  }

  async #beginDue({ packageName, dueUntil }: AppCharges, limit: number): Promise<readonly Charge[]> {
    const { clock, environment, testing } = this.#options;
    const begun = await beginRenewals(this.#options, {
      packageName,
      author: this.#author(),
      isAdvance: false,
      async lock(transaction) {
        const of = { packageName, until: dueUntil, unleasedAt: clock.now(), limit };
        const rows = await lockDueSubscriptions(transaction, of);
        return environment === 'sandbox' ? batchOf(rows, { isPaid: false }) : rows;
      },
    });
    testing?.crashPoints?.('afterAttempt');
    return begun;
  }

  async #charge(app: AppCharges, charge: Charge): Promise<void> {
    const answered = await sendCharge(this.#options, charge, this.#charging.signal);
    app.end(answered);
    if (answered !== undefined) this.#logUnanswered(app.packageName, answered);
    this.#wake(app);
    this.#release(1);
  }

  #release(slots: number): void {
    this.#inFlight -= slots;
    assert(this.#inFlight >= 0, 'More charges ended than began.');
    this.#wakeWaiting();
  }

  /** One line for the first of an app in an hour, and an alert for each cause when a charge has had no answer for too long. */
  #logUnanswered(app: string, { charged, unansweredSince }: AnsweredCharge): void {
    const { log, clock } = this.#options;
    if (charged?.answer.outcome !== 'unknown' || this.#charging.signal.aborted) return;
    const { status, reason } = charged.answer;
    const now = clock.now();
    const isFirst = (key: string) => this.#logged.count(key, now).count === 1;
    if (isFirst(app)) log.warn({ app, status, reason }, 'a charge got no clear response, and is retried');
    if (now - (unansweredSince ?? now) < attentionThresholds.unansweredMs) return;
    if (isFirst(`${app} ${status} ${reason}`)) logAlert(log, 'gatewaySilent', { app, status, reason });
  }

  #author(): Author {
    return { madeBy: renewalAuthor, requestId: this.#options.nextRequestId() };
  }

  #logFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#options.log, { error, app: packageName }, 'renewals could not be written');
  }
}
