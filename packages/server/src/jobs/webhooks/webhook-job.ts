// The job of one server that delivers webhooks, beside those of other servers on the same database: it looks for
// webhooks that have something to deliver, takes their leases, and works on each of them by itself
// (docs/decisions/webhooks.md).

import PQueue from 'p-queue';
import type { Environment } from '../../domain/identifiers.ts';
import type { WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { AdaptiveLimit } from '../../runtime/adaptive-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database } from '../../store/connection/database.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import { deliveredWriter, writeRecords } from '../../store/webhooks/delivery-records.ts';
import {
  freshEventReader,
  type JobDatabase,
  listDueDeliveries,
} from '../../store/webhooks/undelivered-events.ts';
import { findOldestUndelivered } from '../../store/webhooks/webhook-delay.ts';
import {
  endpointReader,
  listWebhooksWithDue,
  listWebhooksWithNews,
  takeWebhookLeases,
  type WebhookLook,
} from '../../store/webhooks/webhook-leases.ts';
import { endWithin, logJobFailure, pollUntil } from '../job-loop.ts';
import { EndpointRun } from './endpoint-run.ts';
import {
  type AttemptEnd,
  attemptLimits,
  type DeliveryStore,
  leaseMs,
  type RunSettings,
} from './run-parts.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** How often the job looks for new events, for what has fallen due, and for how long the oldest waits, in ms. */
const newsEveryMs = 200;
const dueEveryMs = 1_000;
const oldestEveryMs = 15_000;

/** A look rests for at least so many times as long as it took. */
const restShare = 10;

/** Webhooks that are worked on at once. */
const runsMax = 256;

/** Statements of the job under way at once: most connections are left to those who wait for an answer. */
const statementsMax = 3;

/** A stop waits this long for attempts under way, in ms; those that are then called off are repeated. */
const stopWithinMs = 3_000;

const holderBytes = 9;

export interface WebhookJobParts {
  readonly database: Database;
  readonly environment: Environment;
  readonly rules: WebhookRules;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onAttempt: (end: AttemptEnd) => void;
  /** Told how long the event that waits longest has been waiting, in seconds; 0 when none does. */
  readonly onOldest: (seconds: number) => void;
  /** The job closes it when it stops. */
  readonly sender: WebhookSender;
}

type Look = 'news' | 'due';

export class WebhookJob implements AsyncDisposable {
  readonly #parts: WebhookJobParts;
  readonly #database: JobDatabase;
  readonly #slots = new AdaptiveLimit(attemptLimits);
  readonly #runs = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #sender: WebhookSender;
  readonly #settings: RunSettings;
  readonly #holder: string;
  #leases = 0;
  #running: Promise<unknown> | undefined;

  constructor(parts: WebhookJobParts) {
    const { database, randomness } = parts;
    const statements = new PQueue({ concurrency: statementsMax });
    this.#parts = parts;
    this.#database = {
      isDistributed: database.isDistributed,
      rows: (statement, values) => statements.add(() => database.rows(statement, values)),
      transaction: (scope, work) => statements.add(() => database.transaction(scope, work)),
    };
    this.#sender = parts.sender;
    this.#holder = randomness.bytes(holderBytes).toString('base64url');
    this.#settings = {
      ...parts,
      store: deliveryStore(this.#database),
      sender: this.#sender,
      slots: this.#slots,
      isCrowded: () => this.#runs.size >= runsMax,
      stopping: this.#stopping.signal,
    };
  }

  start(): void {
    this.#running ??= Promise.all([
      this.#every(newsEveryMs, () => this.#look('news')),
      this.#every(dueEveryMs, () => this.#look('due')),
      this.#every(oldestEveryMs, () => this.#tellOldest()),
    ]);
  }

  /** Begins nothing more, and waits for what is under way. */
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

  /** Looks once for each kind, and waits until all that it found is worked on; a stop ends it. */
  async runOnce(): Promise<void> {
    for (const look of ['news', 'due'] as const) {
      if (this.#stopping.signal.aborted) return;
      await this.#look(look);
      await Promise.all(this.#runs.values());
    }
    if (!this.#stopping.signal.aborted) await this.#tellOldest();
  }

  #every(everyMs: number, poll: () => Promise<void>): Promise<void> {
    const onFailure = (error: unknown) => this.#tellFailure(error);
    return pollUntil(this.#stopping.signal, { everyMs, restShare, poll, onFailure });
  }

  async #look(kind: Look): Promise<void> {
    const limit = runsMax - this.#runs.size;
    if (limit <= 0) return;
    const { environment, clock } = this.#parts;
    const waiting = this.#slots.unresponsiveRoom === 0 ? this.#slots.unresponsive : [];
    const except = [...this.#runs.keys(), ...waiting];
    const look: WebhookLook = { isSandbox: environment === 'sandbox', realNow: clock.now(), except, limit };
    const list = kind === 'news' ? listWebhooksWithNews : listWebhooksWithDue;
    const found = await list(this.#database, look);
    // The other look may have found the same meanwhile.
    const begun = found.filter((name) => !this.#runs.has(name) && this.#slots.open(name));
    if (begun.length > 0) this.#workOn(begun, kind);
  }

  /** One statement takes all leases; each run waits for it. */
  #workOn(packageNames: readonly string[], kind: Look): void {
    this.#leases += 1;
    const holder = `${this.#holder}-${this.#leases}`;
    const realNow = this.#parts.clock.now();
    const lease = { holder, realNow, leaseUntil: realNow + leaseMs };
    const taking = takeWebhookLeases(this.#database, packageNames, lease);
    for (const packageName of packageNames) {
      const work = taking
        .then((taken) =>
          this.#runWith(taken.get(packageName), { packageName, holder, hasDue: kind === 'due' }),
        )
        .catch((error: unknown) => this.#tellFailure(error, packageName))
        .finally(() => {
          this.#slots.close(packageName);
          this.#runs.delete(packageName);
        });
      this.#runs.set(packageName, work);
    }
  }

  /** `cursorOrder` is undefined when somebody else has taken the lease. */
  async #runWith(
    cursorOrder: number | undefined,
    { packageName, ...lease }: { packageName: string; holder: string; hasDue: boolean },
  ): Promise<void> {
    if (cursorOrder === undefined) return;
    const scope = { environment: this.#parts.environment, packageName };
    await new EndpointRun(this.#settings, { ...lease, scope, cursorOrder }).run();
  }

  async #tellOldest(): Promise<void> {
    const { environment, clock, onOldest } = this.#parts;
    const isSandbox = environment === 'sandbox';
    onOldest((await findOldestUndelivered(this.#database, { isSandbox, realNow: clock.now() })) / 1000);
  }

  /** What could not be written is repeated when the lease ends. */
  #tellFailure(error: unknown, packageName?: string): void {
    logJobFailure(this.#parts.log, { error, app: packageName }, 'webhooks could not be delivered');
  }
}

function deliveryStore(database: JobDatabase): DeliveryStore {
  return {
    readEndpoint: endpointReader(database),
    readFresh: freshEventReader(database),
    readDue: (request) => listDueDeliveries(database, request),
    writeDelivered: deliveredWriter(database),
    writeRecords: (write, now) => writeRecords(database, write, now),
  };
}
