// The job that delivers webhooks, on any number of servers: it polls for webhooks with something to deliver, acquires their
// leases, and delivers for each independently (docs/decisions/events.md).

import { clockDifferenceSecondsMax } from '../../domain/clocks/clock-hold.ts';
import { webhookLeaseMs } from '../../domain/clocks/leases.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { AdaptiveLimit, type AdaptiveLimits } from '../../runtime/adaptive-limit.ts';
import type { Log } from '../../runtime/log.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { Database, JobDatabase } from '../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import { deliveredWriter, writeRecords } from '../../store/webhooks/delivery-records.ts';
import { freshEventReader, listDueDeliveries } from '../../store/webhooks/undelivered-events.ts';
import { findOldestUndelivered } from '../../store/webhooks/webhook-delay.ts';
import {
  acquireWebhookLeases,
  endpointReader,
  listWebhooksWithDue,
  listWebhooksWithNewEvents,
  type WebhookScan,
} from '../../store/webhooks/webhook-leases.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';
import { DeliveryRun, type RunSettings } from './delivery-run.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** How often the job polls for new events, for due deliveries, and for the age of the oldest event, in ms. */
const newEventsEveryMs = 200;
const dueEveryMs = 1_000;
const oldestEveryMs = 15_000;

/** The pause after a poll is at least this many times as long as the poll took. */
const restShare = 10;

/** Slots for attempts, each with a connection and an event of some kilobytes. A webhook is a key. */
const attemptLimits = {
  total: 512,
  crowdedFrom: 256,
  perKeyMax: 128,
  initial: 8,
  // A receiver that responds to three of four attempts keeps growing.
  noResponseCost: 2,
  unresponsiveMax: 64,
} as const satisfies AdaptiveLimits;

/** Webhooks that one server delivers for at once. */
const runsMax = 256;

/** Statements of the job that run at once: most connections remain free for calls. */
const statementsMax = 3;

/** How long a stop waits for attempts in flight, in ms; aborted attempts are repeated. */
const stopWithinMs = 3_000;

const holderBytes = 9;

interface WebhookJobSettings
  extends Pick<RunSettings, 'rules' | 'randomness' | 'readSandboxState' | 'onAttempt'> {
  readonly clock: StoreClock;
  readonly environment: Environment;
  readonly log: Log;
  /** Receives how long the oldest undelivered events have waited. */
  readonly onOldest: (longestMs: number) => void;
}

type Poll = 'newEvents' | 'due';

export class WebhookJob implements AsyncDisposable {
  readonly #settings: WebhookJobSettings;
  readonly #database: JobDatabase;
  readonly #sender: WebhookSender;
  readonly #slots: AdaptiveLimit;
  readonly #runs = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #run: RunSettings;
  readonly #holder: string;
  #leases = 0;
  #running: Promise<unknown> | undefined;

  /** `sender` is closed when the job stops. */
  constructor(database: Database, sender: WebhookSender, settings: WebhookJobSettings) {
    this.#settings = settings;
    this.#slots = new AdaptiveLimit(attemptLimits);
    this.#database = database.forJob(statementsMax);
    this.#sender = sender;
    this.#holder = settings.randomness.bytes(holderBytes).toString('base64url');
    this.#run = {
      ...settings,
      readEndpoint: endpointReader(this.#database),
      readFresh: freshEventReader(this.#database),
      readDue: (request) => listDueDeliveries(this.#database, request),
      writeDelivered: deliveredWriter(this.#database),
      writeRecords: (write, now) => writeRecords(this.#database, write, now),
      mayGiveUp: (packageName, at) => this.#mayGiveUp(packageName, at),
      sender,
      slots: this.#slots,
      isCrowded: () => this.#runs.size >= runsMax,
      stopping: this.#stopping.signal,
    };
  }

  start(): void {
    this.#running ??= Promise.all([
      this.#every(newEventsEveryMs, () => this.#poll('newEvents')),
      this.#every(dueEveryMs, () => this.#poll('due')),
      this.#every(oldestEveryMs, () => this.#reportOldest()),
    ]);
  }

  /** Starts nothing more, and waits for attempts in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await endWithin(stopWithinMs, {
      work: async () => {
        await this.#running;
        await Promise.all(this.#runs.values());
      },
      abort: () => this.#sender.close(),
    });
    this.#sender.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Polls once for each kind, and waits for the runs that it starts; a stop ends it. */
  async runOnce(): Promise<void> {
    for (const kind of ['newEvents', 'due'] as const) {
      if (this.#stopping.signal.aborted) return;
      await this.#poll(kind);
      await Promise.all(this.#runs.values());
    }
    if (!this.#stopping.signal.aborted) await this.#reportOldest();
  }

  #every(everyMs: number, poll: () => Promise<void>): Promise<void> {
    const onFailure = (error: unknown) => this.#logFailure(error);
    return pollUntil(this.#stopping.signal, { everyMs, restShare, poll, onFailure });
  }

  async #poll(kind: Poll): Promise<void> {
    const limit = runsMax - this.#runs.size;
    if (limit <= 0) return;
    const { environment, clock } = this.#settings;
    const waiting = this.#slots.unresponsiveRoom === 0 ? this.#slots.unresponsive : [];
    const except = [...this.#runs.keys(), ...waiting];
    const scan: WebhookScan = { isSandbox: environment === 'sandbox', realNow: clock.now(), except, limit };
    const list = kind === 'newEvents' ? listWebhooksWithNewEvents : listWebhooksWithDue;
    const found = await list(this.#database.storeWide, scan);
    // The other poll may have found the same webhook.
    const begun = found.filter((name) => !this.#runs.has(name) && this.#slots.open(name));
    if (begun.length > 0) this.#deliver(begun, kind);
  }

  /** One statement acquires all leases; each run waits for it. */
  #deliver(packageNames: readonly string[], kind: Poll): void {
    this.#leases += 1;
    const holder = `${this.#holder}-${this.#leases}`;
    const realNow = this.#settings.clock.now();
    const lease = { holder, realNow, leaseUntil: realNow + webhookLeaseMs };
    const acquiring = acquireWebhookLeases(this.#database, packageNames, lease);
    for (const packageName of packageNames) {
      const work = acquiring
        .then((acquired) =>
          this.#runWith(acquired.get(packageName), { packageName, holder, hasDue: kind === 'due' }),
        )
        .catch((error: unknown) => this.#logFailure(error, packageName))
        .finally(() => {
          this.#slots.close(packageName);
          this.#runs.delete(packageName);
        });
      this.#runs.set(packageName, work);
    }
  }

  /** `cursorOrder` is undefined if another server has the lease. */
  async #runWith(
    cursorOrder: number | undefined,
    { packageName, ...lease }: { packageName: string; holder: string; hasDue: boolean },
  ): Promise<void> {
    if (cursorOrder === undefined) return;
    const scope = { environment: this.#settings.environment, packageName };
    await new DeliveryRun(this.#run, { ...lease, scope, cursorOrder }).run();
  }

  /** False while time-driven work is held, and if this server's clock has just jumped away from the database's. */
  async #mayGiveUp(packageName: string, at: number): Promise<boolean> {
    try {
      const { realNow, hold } = await this.#settings.clock.read(this.#database, packageName);
      return hold === undefined && Math.abs(realNow - at) <= clockDifferenceSecondsMax * 1000;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return false;
      throw error;
    }
  }

  async #reportOldest(): Promise<void> {
    const { environment, clock, onOldest } = this.#settings;
    const isSandbox = environment === 'sandbox';
    const { storeWide } = this.#database;
    onOldest(await findOldestUndelivered(storeWide, { isSandbox, realNow: clock.now() }));
  }

  /** Deliveries that could not be written are repeated when the lease ends. */
  #logFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#settings.log, { error, app: packageName }, 'webhooks could not be delivered');
  }
}
