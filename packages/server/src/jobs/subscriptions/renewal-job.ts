// The job of a server that renews what falls due, next to those of other servers on the same database: it polls for apps
// that have something due, and renews each of them independently (docs/decisions/subscriptions.md).

import PQueue from 'p-queue';
import { batchOf } from '../../domain/subscriptions/renewal.ts';
import { chargeLimits, renewApp, unclearAnswers } from '../../operations/subscriptions/renewal/renew-app.ts';
import {
  type RenewalOptions,
  renewalAuthor,
} from '../../operations/subscriptions/renewal/renewal-options.ts';
import { AdaptiveLimit } from '../../runtime/adaptive-limit.ts';
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
import { listPausedPackageNames, wholeStore } from '../../store/subscriptions/renewal-pauses.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';

/** How often the job polls, in ms. */
const pollEveryMs = 1_000;

/** Apps that one poll returns, those with the oldest due items first. */
const dueAppsMax = 200;

/**
 * A batch is drawn from this many times its size. Measured 2026-11-24 on two cores (`npm run bench:renewals`): two servers
 * renew 2,604 months of one app per second, and 1,799 without drawing.
 */
const drawnFrom = 4;

/** How long a stop waits for charges in flight, in ms; those still open are retried with their keys. */
const stopWithinMs = 3_000;

export interface RenewalJobOptions extends RenewalOptions {
  readonly nextRequestId: () => string;
  /** Receives with each poll how long the oldest payment has been due, in seconds; 0 if none is. */
  readonly onOldestOverdue: (seconds: number) => void;
}

export class RenewalJob implements AsyncDisposable {
  readonly #options: RenewalJobOptions;
  readonly #slots: AdaptiveLimit;
  readonly #unclear = unclearAnswers();
  readonly #transactions = new PQueue({ concurrency: 1 });
  /** Apps that are being renewed. */
  readonly #apps = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #charging = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RenewalJobOptions) {
    this.#options = options;
    this.#slots = new AdaptiveLimit(chargeLimits);
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
        await Promise.all(this.#apps.values());
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
    await Promise.all(this.#apps.values());
    return found;
  }

  async #poll(): Promise<number> {
    const { database, environment, clock } = this.#options;
    const { storeWide } = database;
    const now = clock.now();
    const paused = await listPausedPackageNames(storeWide);
    const scan = { now, limit: dueAppsMax, except: [...paused, ...this.#apps.keys()] };
    const listDue = () =>
      environment === 'sandbox' ? listDueAppsOfSandbox(storeWide, scan) : this.#listDueApps(scan);
    const due = paused.includes(wholeStore) ? [] : await listDue();
    await this.#reportOldest(due, now);
    if ((await clock.read(database, '')).hold !== undefined) return due.length;
    for (const app of due) if (this.#slots.open(app.packageName)) this.#renew(app);
    return due.length;
  }

  /** Lists unresponsive apps apart, so that they cannot take the places of others, however much of theirs is overdue. */
  async #listDueApps({ now, limit, except }: DueScan): Promise<readonly DueApp[]> {
    const { storeWide } = this.#options.database;
    const { unresponsive } = this.#slots;
    const due = await listDueApps(storeWide, { now, limit, except: [...except, ...unresponsive] });
    const among = unresponsive.filter((packageName) => !except.includes(packageName));
    const room = this.#slots.unresponsiveRoom;
    if (among.length === 0 || room === 0) return due;
    return [...due, ...(await listDueAppsAmong(storeWide, { now, among, limit: room }))];
  }

  async #reportOldest(due: readonly DueApp[], now: number): Promise<void> {
    const openSince = await findOldestOpenAttempt(this.#options.database.storeWide);
    const overdue = due.map((app) => app.now - app.dueTime);
    // In the sandbox an open attempt is due by the clock of its app, which only the apps of the poll include.
    if (openSince !== undefined && this.#options.environment === 'production') overdue.push(now - openSince);
    this.#options.onOldestOverdue(Math.max(0, ...overdue) / 1000);
  }

  #renew({ packageName, now }: DueApp): void {
    const work = renewApp(this.#options, {
      packageName,
      unclear: this.#unclear,
      slots: this.#slots,
      transactions: this.#transactions,
      listDue: (limit) => this.#listDue({ packageName, now }, limit),
      nextAuthor: () => ({ madeBy: renewalAuthor, requestId: this.#options.nextRequestId() }),
      charging: this.#charging.signal,
      stopping: this.#stopping.signal,
    })
      .catch((error: unknown) => this.#logFailure(error, packageName))
      .finally(() => {
        this.#slots.close(packageName);
        this.#apps.delete(packageName);
      });
    this.#apps.set(packageName, work);
  }

  /**
   * Draws a batch from the oldest due items, so that several servers on one app seldom choose the same ones; in the
   * sandbox, the oldest that can happen together.
   */
  async #listDue(
    { packageName, now }: Pick<DueApp, 'packageName' | 'now'>,
    count: number,
  ): Promise<readonly DueRenewal[]> {
    const { database, environment, clock, randomness } = this.#options;
    const isInOrder = environment === 'sandbox';
    const limit = isInOrder ? count : count * drawnFrom;
    const due = { packageName, until: now, unleasedAt: clock.now(), limit };
    const items = await listDueRenewalsOfApp(database, due);
    if (isInOrder) return batchOf(items, { isPaid: false });
    const spare = Math.max(0, items.length - count);
    const start = spare === 0 ? 0 : randomness.uint32() % (spare + 1);
    return items.slice(start, start + count);
  }

  /** What could not be written stays open, and is due again when its lease ends. */
  #logFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#options.log, { error, app: packageName }, 'renewals could not be written');
  }
}
