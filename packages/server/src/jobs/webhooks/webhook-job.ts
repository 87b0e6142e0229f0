// The job that delivers webhooks, on any number of servers: it polls for webhooks with something to deliver, acquires their
// leases, and delivers for each in rounds, independently of the others (docs/decisions/events.md).

import type { Log } from '../../runtime/log.ts';
import { leaseHolder } from '../../runtime/randomness.ts';
import type { Database, JobDatabase } from '../../store/connection/database.ts';
import type { WebhookLease } from '../../store/webhooks/delivery-rounds.ts';
import {
  acquireWebhookLeases,
  extendWebhookLeases,
  listWebhooksWithWork,
} from '../../store/webhooks/webhook-leases.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';
import { deliverRound, type RoundSettings } from './delivery-round.ts';

/** How often the job polls for webhooks with something to deliver, in ms: with all jobs, an idle server sends under 6 statements a second. */
const pollEveryMs = 250;

/** The pause after a poll is at least this many times as long as the poll took: it reads all webhooks. */
const restShare = 1;

/** How often the leases of rounds in flight are extended, in ms: several times before they end. */
const extendEveryMs = 5_000;

/** Webhooks that one server delivers for at once, each with up to 32 attempts in flight. */
const webhooksMax = 128;

/** Statements of rounds that run concurrently, plus one of a poll: most connections and processors remain free for calls. */
const statementsMax = 3;

/** How long a stop waits for attempts in flight, in ms; aborted attempts are retried. */
const stopWithinMs = 3_000;

interface WebhookJobSettings extends Omit<RoundSettings, 'database' | 'mayGoOn' | 'stopping'> {
  readonly log: Log;
}

interface Run {
  readonly holder: string;
  readonly done: Promise<void>;
}

export class WebhookJob implements AsyncDisposable {
  readonly #settings: RoundSettings;
  readonly #log: Log;
  readonly #database: JobDatabase;
  /** By package name. */
  readonly #runs = new Map<string, Run>();
  readonly #stopping = new AbortController();
  readonly #server: string;
  #polls = 0;
  #running: Promise<unknown> | undefined;

  /** The sender is closed when the job stops. */
  constructor(database: Database, settings: WebhookJobSettings) {
    this.#database = database.forJob(1);
    this.#log = settings.log;
    this.#server = leaseHolder(settings.randomness);
    this.#settings = {
      ...settings,
      database: database.forJob(statementsMax),
      mayGoOn: () => this.#runs.size < webhooksMax,
      stopping: this.#stopping.signal,
    };
  }

  start(): void {
    this.#running ??= Promise.all([
      this.#every(pollEveryMs, () => this.#poll()),
      this.#every(extendEveryMs, () => this.#extendLeases()),
    ]);
  }

  /** Starts nothing more, and waits for attempts in flight. */
  async stop(): Promise<void> {
    const { sender } = this.#settings;
    this.#stopping.abort();
    await endWithin(stopWithinMs, {
      work: async () => {
        await this.#running;
        await this.#untilDelivered();
      },
      abort: () => sender.close(),
    });
    sender.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Polls once, and waits for the rounds that it starts; a stop ends it. */
  async runOnce(): Promise<void> {
    await this.#poll();
    await this.#untilDelivered();
  }

  #every(everyMs: number, poll: () => Promise<void>): Promise<void> {
    const onFailure = (error: unknown) => this.#logFailure(error);
    return pollUntil(this.#stopping.signal, { everyMs, restShare, poll, onFailure });
  }

  async #poll(): Promise<void> {
    const limit = webhooksMax - this.#runs.size;
    if (limit <= 0) return;
    const realNow = this.#settings.clock.now();
    const found = await listWebhooksWithWork(this.#database.storeWide, { realNow, limit });
    // Without those whose lease ended during a round of this server.
    const packageNames = found.filter((name) => !this.#runs.has(name));
    if (packageNames.length === 0 || this.#stopping.signal.aborted) return;
    this.#polls += 1;
    const holder = `${this.#server}-${this.#polls}`;
    for (const packageName of await acquireWebhookLeases(this.#database, packageNames, { holder, realNow })) {
      this.#runs.set(packageName, { holder, done: this.#deliver({ packageName, holder }) });
    }
  }

  async #deliver(lease: WebhookLease): Promise<void> {
    try {
      while (await deliverRound(this.#settings, lease));
    } catch (error) {
      // Deliveries whose result was not stored are retried when the lease expires.
      this.#logFailure(error, lease.packageName);
    } finally {
      this.#runs.delete(lease.packageName);
    }
  }

  async #extendLeases(): Promise<void> {
    if (this.#runs.size === 0) return;
    const holders = [...new Set([...this.#runs.values()].map(({ holder }) => holder))];
    const realNow = this.#settings.clock.now();
    await extendWebhookLeases(this.#database, [...this.#runs.keys()], { holders, realNow });
  }

  async #untilDelivered(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }

  #logFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#log, { error, app: packageName }, 'webhooks could not be delivered');
  }
}
