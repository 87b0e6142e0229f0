// Delivers for one webhook whose lease this server has, in rounds, until nothing is left to do (docs/decisions/events.md).
// A round reads due deliveries and the next events, sends them, and writes a record of each. An attempt that takes longer
// than its round is recorded as waiting, and its outcome is written by a later round.

import { webhookLeaseMs } from '../../domain/clocks/leases.ts';
import { pause } from '../../runtime/pause.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import type { DeliveryWrite } from '../../store/webhooks/delivery-records.ts';
import type {
  DueDelivery,
  DueRequest,
  FreshEvent,
  FreshRequest,
} from '../../store/webhooks/undelivered-events.ts';
import { recordOfRemovedEvent } from './attempt-records.ts';
import { type AttemptSettings, type Chain, DeliveryAttempts } from './delivery-attempts.ts';
import {
  type EndpointReading,
  type OpenEndpoint,
  readOpenEndpoint,
  type WebhookLease,
} from './open-endpoint.ts';

/** A round does not wait longer than this, in ms, for attempts in flight: the others are delayed by so much. */
const roundMs = 1_000;

/** Deliveries of each kind that a round reads: twice the webhook's limit of attempts in flight, within these limits. */
const readMin = 32;
const readMax = 256;

/** How often a run reads its webhook, the order of the last event and the clock of the app, in ms. */
const refreshEveryMs = 200;

/** How often a run reads due deliveries, in ms. */
const dueEveryMs = 1_000;

/** A run that writes nothing extends its lease after this time, in ms. */
const extendLeaseAfterMs = 5_000;

/** A webhook that delays others, or does not respond, releases its lease after this time, in ms. */
const leaseMaxMs = 10_000;

/** A failed write is retried after this time, in ms, until the lease may have ended. */
const writeRetryMs = 250;

export interface RunSettings extends EndpointReading, AttemptSettings {
  readonly readFresh: (request: FreshRequest) => Promise<FreshEvent[]>;
  readonly readDue: (request: DueRequest) => Promise<DueDelivery[]>;
  /** False if it was not written; writing it alone may succeed. */
  readonly writeDelivered: (write: DeliveryWrite) => Promise<boolean>;
  /** False if the lease is lost. */
  readonly writeRecords: (write: DeliveryWrite, now: number | undefined) => Promise<boolean>;
  /** Whether other webhooks wait for this run to end. */
  readonly isCrowded: () => boolean;
}

export class DeliveryRun {
  readonly #settings: RunSettings;
  readonly #lease: WebhookLease;
  readonly #packageName: string;
  readonly #attempts: DeliveryAttempts;
  /** All events up to this order have a record. */
  #cursorOrder: number;
  #mayHaveDue: boolean;
  /** Instants of performance.now(). */
  readonly #begunAt = performance.now();
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #dueReadAt = performance.now();
  #writtenAt = performance.now();

  constructor(settings: RunSettings, lease: WebhookLease) {
    this.#settings = settings;
    this.#lease = lease;
    this.#packageName = lease.scope.packageName;
    this.#attempts = new DeliveryAttempts(settings, lease);
    this.#cursorOrder = lease.cursorOrder;
    this.#mayHaveDue = lease.hasDue;
  }

  /**
   * Resolves when nothing is in flight and the lease is released or lost. The next holder of the lease repeats deliveries
   * that were not written.
   * @throws DatabaseUnavailable if the lease may have ended before a write succeeded.
   */
  async run(): Promise<void> {
    try {
      while (await this.#round());
    } finally {
      await this.#attempts.drain();
    }
  }

  /** False if the run is over. */
  async #round(): Promise<boolean> {
    const attempts = this.#attempts;
    let readOrder = this.#cursorOrder;
    try {
      await this.#refresh();
      const { endpoint } = attempts;
      const mayRead = endpoint !== undefined && !attempts.isEnding && attempts.hasFreeSlot;
      if (mayRead) readOrder = await this.#read(endpoint);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      // Unwritten records are still written, with retries until the lease may have ended.
      attempts.end();
    }
    await attempts.send(roundMs);
    const left = attempts.endRound();
    const unrecorded = left.filter(({ record }) => record === undefined);
    this.#cursorOrder = Math.min(readOrder, ...unrecorded.map(({ event }) => event.order - 1));
    if (unrecorded.length < left.length) this.#mayHaveDue = true;
    return this.#write();
  }

  async #refresh(): Promise<void> {
    const now = performance.now();
    const attempts = this.#attempts;
    const { slots, isCrowded } = this.#settings;
    const isLeaseOver = now - this.#begunAt > leaseMaxMs;
    if (isLeaseOver && (isCrowded() || slots.isUnresponsive(this.#packageName))) attempts.end();
    if (attempts.isEnding || now - this.#refreshedAt < refreshEveryMs) return;
    this.#refreshedAt = now;
    const endpoint = await readOpenEndpoint(this.#lease, this.#settings);
    if (endpoint === undefined) attempts.end();
    else attempts.endpoint = endpoint;
  }

  /** Returns the order up to which all events were read. */
  async #read(endpoint: OpenEndpoint): Promise<number> {
    const { slots, readFresh } = this.#settings;
    const limit = Math.max(readMin, Math.min(readMax, 2 * slots.limitOf(this.#packageName)));
    const due = await this.#readDue(endpoint, limit);
    const after = this.#cursorOrder;
    const { lastEventOrder } = endpoint;
    const isCaughtUp = after >= lastEventOrder;
    const events = isCaughtUp ? [] : await readFresh({ packageName: this.#packageName, after, limit });
    const fresh = this.#attempts.chainsOf(events);
    // Neither kind waits for all of the other.
    for (let index = 0; index < Math.max(due.length, fresh.length); index += 1) {
      for (const chain of [due[index], fresh[index]]) if (chain !== undefined) this.#attempts.add(chain);
    }
    const lastRead = events.at(-1)?.order ?? after;
    // The other orders up to the last one were removed or have a record.
    return events.length < limit ? Math.max(lastRead, lastEventOrder) : lastRead;
  }

  async #readDue(endpoint: OpenEndpoint, capacity: number): Promise<Chain[]> {
    const attempts = this.#attempts;
    const readAt = performance.now();
    if (!this.#mayHaveDue && readAt - this.#dueReadAt < dueEveryMs) return [];
    // Deliveries in flight are listed as well.
    const limit = capacity + attempts.inFlight;
    const instants = endpoint.instants();
    const request = { packageName: this.#packageName, until: instants.now, limit };
    const due = await this.#settings.readDue(request);
    this.#dueReadAt = readAt;
    this.#mayHaveDue = due.length === limit;
    return due.flatMap(({ delivery, event }): Chain[] => {
      if (attempts.has(delivery.eventOrder)) return [];
      if (event !== undefined) return [{ event, record: delivery, behind: [] }];
      attempts.put(recordOfRemovedEvent(delivery, instants), { isPlain: false });
      this.#settings.onAttempt('dead');
      return [];
    });
  }

  /** False if the run is over: nothing is left to do, or the lease is lost. */
  async #write(): Promise<boolean> {
    const attempts = this.#attempts;
    const { records, isPlain, hours } = attempts.takeRecords();
    const isCaughtUp = this.#cursorOrder >= (attempts.endpoint?.lastEventOrder ?? 0);
    const isDone = attempts.isEnding || (isCaughtUp && isPlain && !this.#mayHaveDue);
    const isLast = isDone && attempts.inFlight === 0;
    const isLeaseOld = performance.now() - this.#writtenAt > extendLeaseAfterMs;
    if (!isLast && !isLeaseOld && records.length === 0) return true;
    const write = {
      packageName: this.#packageName,
      holder: this.#lease.holder,
      cursorOrder: this.#cursorOrder,
      leaseUntil: isLast ? null : this.#settings.clock.now() + webhookLeaseMs,
      records,
      hours,
    };
    if (!(await this.#writeInTime(write, isPlain))) return false;
    // Other records may have released held deliveries.
    if (!isPlain) this.#mayHaveDue = true;
    this.#writtenAt = performance.now();
    return !isLast;
  }

  async #writeInTime(write: DeliveryWrite, isPlain: boolean): Promise<boolean> {
    const { writeDelivered, writeRecords, stopping } = this.#settings;
    for (;;) {
      try {
        if (isPlain && (await writeDelivered(write))) return true;
        return await writeRecords(write, this.#attempts.endpoint?.instants().now);
      } catch (error) {
        const mayRetry = performance.now() - this.#writtenAt < webhookLeaseMs && !stopping.aborted;
        if (!(error instanceof DatabaseUnavailable) || !mayRetry) throw error;
        await pause(writeRetryMs);
      }
    }
  }
}
