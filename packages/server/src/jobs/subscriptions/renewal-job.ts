// The job of one server that renews whatever falls due, beside those of other servers on the same database: it
// looks for apps that have something due, and works on each of them by itself (docs/decisions/renewals.md).

import { appNow, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { renewalAuthor } from '../../operations/sandbox/advance-clock.ts';
import { renewApp } from '../../operations/subscriptions/renewal/app-renewals.ts';
import { ChargeSlots } from '../../operations/subscriptions/renewal/charge-slots.ts';
import {
  ClockIsMoved,
  type RenewalBatch,
  type RenewalParts,
} from '../../operations/subscriptions/renewal/renewal-batch.ts';
import { RenewalTurns } from '../../operations/subscriptions/renewal/renewal-turns.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { shareAppClock } from '../../store/sandbox/app-clocks.ts';
import {
  type DueApp,
  type DueRenewal,
  type DueScan,
  findOldestOpenAttempt,
  listDueApps,
  listDueAppsAmong,
  listDueAppsOfSandbox,
  listDueRenewalsOfApp,
} from '../../store/subscriptions/due-renewals.ts';
import { endWithin, logJobFailure, lookUntil } from '../job-loop.ts';

/** How often the job looks for what has fallen due, in ms. */
const lookEveryMs = 1_000;

/** Apps that one look finds: those that are due longest. */
const dueAppsMax = 200;

/** A batch is drawn from so many times its size. */
const drawnFrom = 4;

/** A stop waits this long for charges under way, in ms; what is then open is repeated by its key. */
const stopWithinMs = 3_000;

export interface RenewalJobParts extends Omit<RenewalParts, 'database'> {
  readonly database: Database;
  readonly nextRequestId: () => string;
  /** The instant of performance.now() at which this server last answered a call of an app. */
  readonly lastAppCallAt: () => number;
  /** Told with each look how long the oldest payment has been due, in seconds; 0 when none is. */
  readonly onOldestOverdue: (seconds: number) => void;
}

export class RenewalJob implements AsyncDisposable {
  readonly #parts: RenewalJobParts;
  readonly #slots = new ChargeSlots();
  readonly #turns: RenewalTurns;
  /** Apps that are worked on. */
  readonly #apps = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #charging = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: RenewalJobParts) {
    this.#parts = parts;
    this.#turns = new RenewalTurns({ ...parts, stopping: this.#stopping.signal });
  }

  start(): void {
    this.#running ??= lookUntil(this.#stopping.signal, {
      everyMs: lookEveryMs,
      look: () => this.#look(),
      onFailure: (error) => this.#tellFailure(error),
    });
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await endWithin(stopWithinMs, {
      work: async () => {
        await this.#running;
        await Promise.all(this.#apps.values());
      },
      callOff: () => this.#charging.abort(),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Looks once, and waits until all that it found is worked on. Gives the number of apps that had something due. */
  async runOnce(): Promise<number> {
    const found = await this.#look();
    await Promise.all(this.#apps.values());
    return found;
  }

  async #look(): Promise<number> {
    const { database, environment, clock } = this.#parts;
    const scan = { now: clock.now(), limit: dueAppsMax };
    const working = [...this.#apps.keys()];
    const due =
      environment === 'sandbox'
        ? await listDueAppsOfSandbox(database, { ...scan, except: working })
        : await this.#listDueApps({ ...scan, except: working });
    await this.#tellOldest(due, scan.now);
    for (const app of due) this.#workOn(app);
    return due.length;
  }

  /**
   * Apps whose charges get no answer are looked at by themselves, as many as may have a charge: however much of
   * theirs is overdue, it does not stand before what others have due.
   */
  async #listDueApps({ now, limit, except }: DueScan): Promise<readonly DueApp[]> {
    const { database } = this.#parts;
    const unanswered = this.#slots.unanswered();
    const due = await listDueApps(database, { now, limit, except: [...except, ...unanswered] });
    const among = unanswered.filter((packageName) => !this.#apps.has(packageName));
    const room = this.#slots.unansweredRoom();
    if (among.length === 0 || room === 0) return due;
    return [...due, ...(await listDueAppsAmong(database, { now, among, limit: room }))];
  }

  async #tellOldest(due: readonly DueApp[], now: number): Promise<void> {
    const openSince = await findOldestOpenAttempt(this.#parts.database);
    const overdue = due.map((app) => app.now - app.dueTime);
    // An open attempt of the sandbox counts by the clock of its app, which only the apps found tell.
    if (openSince !== undefined && this.#parts.environment === 'production') overdue.push(now - openSince);
    this.#parts.onOldestOverdue(Math.max(0, ...overdue) / 1000);
  }

  #workOn(app: DueApp): void {
    const { packageName } = app;
    const work = this.#renewApp(app)
      .catch((error: unknown) => this.#tellFailure(error, packageName))
      .finally(() => {
        this.#slots.forget(packageName);
        this.#apps.delete(packageName);
      });
    this.#apps.set(packageName, work);
  }

  #renewApp({ packageName, now }: DueApp): Promise<void> {
    const { log } = this.#parts;
    return renewApp({
      packageName,
      parts: this.#parts,
      slots: this.#slots,
      turns: this.#turns,
      signal: this.#stopping.signal,
      list: (limit) => this.#listDue({ packageName, now }, limit),
      batchOf: (items) => this.#batchOf(packageName, items),
      onUnanswered: (reason) =>
        log.warn({ app: packageName, reason }, 'the payment gateway does not answer for an app'),
    });
  }

  /** A part of what is due longest, drawn so that several servers on one app seldom meet. */
  async #listDue(
    { packageName, now }: Pick<DueApp, 'packageName' | 'now'>,
    count: number,
  ): Promise<readonly DueRenewal[]> {
    const { database, clock, randomness } = this.#parts;
    const limit = count * drawnFrom;
    const due = { packageName, until: now, unlessHeldAt: clock.now(), limit };
    const items = await listDueRenewalsOfApp(database, due);
    const spare = Math.max(0, items.length - count);
    const start = spare === 0 ? 0 : randomness.uint32() % (spare + 1);
    return items.slice(start, start + count);
  }

  #batchOf(packageName: string, items: RenewalBatch['items']): RenewalBatch {
    const { nextRequestId } = this.#parts;
    return {
      packageName,
      items,
      holdNow: (transaction) => this.#holdNow(transaction, packageName),
      happensAt: 'now',
      respectsLeases: true,
      author: { madeBy: renewalAuthor, requestId: nextRequestId() },
      signal: this.#charging.signal,
    };
  }

  /** In the sandbox by the clock of the app. An advance takes over whatever is open, in its own order. */
  async #holdNow(transaction: Queryable, packageName: string): Promise<number> {
    const { clock, environment } = this.#parts;
    if (environment === 'production') return clock.now();
    const held = await shareAppClock(transaction, packageName);
    const realNow = clock.now();
    if (isAdvancing(held, realNow)) throw new ClockIsMoved();
    return appNow(held, realNow);
  }

  /** What could not be written stays open, and is due again when its lease ends. */
  #tellFailure(error: unknown, packageName?: string): void {
    if (error instanceof ClockIsMoved) return;
    logJobFailure(this.#parts.log, { error, app: packageName }, 'renewals could not be written');
  }
}
