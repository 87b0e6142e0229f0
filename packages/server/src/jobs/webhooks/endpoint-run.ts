// Delivers for one webhook whose lease this server has, until nothing is left to do (docs/decisions/webhooks.md). Reads and
// writes of a run never overlap, so that each read sees all earlier writes.

import { webhookLeaseMs } from '../../domain/clocks/leases.ts';
import { signatureHeaders } from '../../domain/webhooks/webhook-signature.ts';
import { deliveredEvent } from '../../operations/events/public-event.ts';
import { pause } from '../../runtime/pause.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import type { DeliveryWrite } from '../../store/webhooks/delivery-records.ts';
import {
  type DeliveryTimes,
  isDelivered,
  recordAfterAttempt,
  recordBeforeAttempt,
  recordOfRemovedEvent,
  subjectOf,
} from './attempt-records.ts';
import { DeliveryWindow, type WindowItem } from './delivery-window.ts';
import { EndpointState } from './endpoint-state.ts';
import { EventCursor } from './event-cursor.ts';
import * as limits from './run-parts.ts';
import { UnwrittenRecords } from './unwritten-records.ts';
import { type SendOutcome, unsentOutcome } from './webhook-sender.ts';

export class EndpointRun {
  readonly #settings: limits.RunSettings;
  readonly #lease: limits.RunLease;
  readonly #packageName: string;
  readonly #state: EndpointState;
  readonly #cursor: EventCursor;
  readonly #window = new DeliveryWindow();
  readonly #unwritten = new UnwrittenRecords();
  /** Fresh events with a record that was written before their first attempt ended. */
  readonly #recorded = new Set<number>();
  #inFlight = 0;
  #isEnding = false;
  #isWriteFailing = false;
  #fault: unknown;
  /** DeliveryTimes of performance.now(). */
  readonly #begunAt = performance.now();
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #dueReadAt: number;
  #writtenAt = performance.now();
  #lastSlotAt = performance.now();
  #wake = new AbortController();

  constructor(settings: limits.RunSettings, lease: limits.RunLease) {
    this.#settings = settings;
    this.#lease = lease;
    this.#packageName = lease.scope.packageName;
    this.#state = new EndpointState(settings, lease);
    this.#cursor = new EventCursor(lease.cursorOrder);
    this.#dueReadAt = lease.hasDue ? Number.NEGATIVE_INFINITY : performance.now();
  }

  /**
   * Resolves when nothing is in flight and the lease is released or lost. The next holder of the lease repeats deliveries
   * that were not written.
   * @throws DatabaseUnavailable if the lease may have ended before a write succeeded.
   */
  async run(): Promise<void> {
    try {
      while (await this.#step());
    } finally {
      this.#isEnding = true;
      while (this.#inFlight > 0) await this.#rest();
    }
  }

  /** Runs one step; false if the run is over. */
  async #step(): Promise<boolean> {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      await this.#refresh();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      // Unwritten records are still written, with retries until the lease may have ended.
      this.#isEnding = true;
    }
    this.#begin();
    if (this.#isWriteDue) return this.#write(this.#settings.clock.now() + webhookLeaseMs);
    if (this.#isDone) {
      await this.#write(null);
      return false;
    }
    await this.#rest();
    return true;
  }

  async #refresh(): Promise<void> {
    const now = performance.now();
    const { stopping, slots, isCrowded } = this.#settings;
    const isLeaseOver = now - this.#begunAt > limits.leaseMaxMs;
    if (stopping.aborted || (isLeaseOver && (isCrowded() || slots.isUnresponsive(this.#packageName)))) {
      this.#isEnding = true;
    }
    if (!this.#isEnding && now - this.#refreshedAt >= limits.refreshEveryMs) {
      this.#refreshedAt = now;
      this.#isEnding = !(await this.#state.refresh());
      this.#cursor.extend(this.#state.lastEventOrder);
    }
    if (!this.#isEnding) await this.#readDue();
    if (!this.#isEnding) await this.#readFresh();
  }

  get #capacity(): number {
    const twiceAllowed = 2 * this.#settings.slots.limitOf(this.#packageName);
    return Math.max(limits.windowMin, Math.min(limits.windowMax, twiceAllowed));
  }

  get #hasRoom(): boolean {
    return this.#window.size <= this.#capacity / 2;
  }

  async #readDue(): Promise<void> {
    const now = performance.now();
    if (now - this.#dueReadAt < limits.dueEveryMs || !this.#hasRoom) return;
    // Deliveries that are in memory are listed as well.
    const limit = this.#capacity + this.#unwritten.count;
    const until = this.#state.instants.now;
    const due = await this.#settings.store.readDue({ packageName: this.#packageName, until, limit });
    this.#dueReadAt = due.length < limit ? now : Number.NEGATIVE_INFINITY;
    for (const { delivery, event } of due) {
      if (this.#unwritten.has(delivery.eventOrder) || this.#window.size >= this.#capacity) continue;
      if (event === undefined) {
        this.#unwritten.add(recordOfRemovedEvent(delivery, this.#state.instants), { isPlain: false });
        this.#settings.onAttempt('dead');
        continue;
      }
      // A redelivery of a delivered event need not be in the order of its subject.
      const subject = delivery.deliveredTime === null ? delivery.subject : null;
      this.#window.add({ order: delivery.eventOrder, subject, event, delivery });
    }
  }

  async #readFresh(): Promise<void> {
    if (this.#cursor.isCaughtUp) return;
    if (!this.#hasRoom) {
      // If all deliveries wait for attempts in flight, they are moved to the database to make room for other subjects.
      if (!this.#window.hasReady && this.#window.behindCount > 0) this.#unblock();
      return;
    }
    const limit = this.#capacity - this.#window.size;
    const after = this.#cursor.readOrder;
    const fresh = await this.#settings.store.readFresh({ packageName: this.#packageName, after, limit });
    this.#cursor.read(fresh.map(({ order }) => order));
    if (fresh.length < limit) this.#cursor.readAll();
    for (const event of fresh) {
      const subject = subjectOf(event);
      if (event.isBehind || this.#unwritten.blocks(subject)) this.#hold(event);
      else this.#window.add({ order: event.order, subject, event, delivery: undefined });
    }
  }

  #hold(event: EventRow): void {
    this.#unwritten.add(recordBeforeAttempt(event, this.#lease.scope, null), { isPlain: false });
  }

  #holdBehind(behind: readonly WindowItem[]): void {
    for (const { event, delivery } of behind) if (delivery === undefined) this.#hold(event);
  }

  #unblock(): void {
    for (const { head, behind } of this.#window.unblock()) {
      if (head.delivery === undefined && !this.#recorded.has(head.order)) {
        this.#recorded.add(head.order);
        const { now } = this.#state.instants;
        this.#unwritten.add(recordBeforeAttempt(head.event, this.#lease.scope, now), { isPlain: false });
      }
      this.#holdBehind(behind);
    }
  }

  #begin(): void {
    const { slots } = this.#settings;
    while (
      !this.#isEnding &&
      !this.#isWriteFailing &&
      this.#window.hasReady &&
      slots.acquire(this.#packageName)
    ) {
      const item = this.#window.next();
      if (item === undefined) throw new Error('A window with a ready item returned none.');
      this.#inFlight += 1;
      this.#lastSlotAt = performance.now();
      this.#attempt(item).catch((error: unknown) => {
        this.#fault ??= error;
        this.#isEnding = true;
      });
    }
    const isSlotless = this.#inFlight === 0 && this.#window.hasReady;
    if (isSlotless && performance.now() - this.#lastSlotAt > limits.slotWaitMaxMs) this.#isEnding = true;
  }

  async #attempt(item: WindowItem): Promise<void> {
    const { slots, randomness, clocks, onAttempt } = this.#settings;
    const begun = this.#state.instants;
    let outcome: SendOutcome | undefined;
    let isCounted = true;
    try {
      outcome = await this.#send(item.event, begun);
      if (outcome !== undefined && !isDelivered(outcome)) isCounted = await clocks.mayGiveUp(begun.realNow);
    } finally {
      const result = outcome && (outcome.failure === undefined ? 'response' : 'noResponse');
      slots.release(this.#packageName, result ?? 'unused');
      this.#inFlight -= 1;
    }
    if (outcome === undefined) this.#window.stop(item);
    else {
      const before = item.delivery ?? recordBeforeAttempt(item.event, this.#lease.scope, begun.now);
      const record = recordAfterAttempt(before, outcome, { begun, drawn: randomness.uint32(), isCounted });
      const isFirst = item.delivery === undefined && !this.#recorded.delete(item.order);
      this.#unwritten.add(record, { isPlain: isFirst && record.state === 'delivered' });
      if (record.state === 'waiting') this.#holdBehind(this.#window.stop(item));
      else this.#window.pass(item);
      onAttempt(record.state === 'delivered' || record.state === 'dead' ? record.state : 'failed');
    }
    this.#begin();
    if (this.#inFlight === 0 || this.#unwritten.count >= limits.writeBatchMin || this.#hasRoom) {
      this.#wake.abort();
    }
  }

  async #send(event: EventRow, { realNow }: DeliveryTimes): Promise<SendOutcome | undefined> {
    const { url } = this.#state;
    if (url === undefined) return unsentOutcome('addressRefused');
    const { id, body } = deliveredEvent(event, this.#lease.scope);
    const headers = signatureHeaders({ id, now: realNow, body }, this.#state.secretsAt(realNow));
    return this.#settings.sender.send({ url, body, headers });
  }

  get #isWriteDue(): boolean {
    const now = performance.now();
    if (now - this.#writtenAt > limits.extendLeaseAfterMs) return true;
    if (this.#unwritten.count === 0) return false;
    const isEnough =
      this.#unwritten.count >= limits.writeBatchMin || this.#unwritten.ageAt(now) >= limits.gatherMs;
    // Other records may release held deliveries, which are then due.
    return isEnough || (this.#inFlight === 0 && !this.#isEnding && !this.#unwritten.batch().isPlain);
  }

  get #isDone(): boolean {
    if (this.#inFlight > 0) return false;
    return this.#isEnding || (this.#window.size === 0 && this.#cursor.isCaughtUp);
  }

  /** False if the lease is lost. */
  async #write(leaseUntil: number | null): Promise<boolean> {
    const batch = this.#unwritten.batch();
    const records = batch.entries.map(({ record }) => record);
    const orders = new Set(records.map(({ eventOrder }) => eventOrder));
    const cursorOrder = this.#cursor.after(orders);
    const { holder } = this.#lease;
    const write = { packageName: this.#packageName, holder, cursorOrder, leaseUntil, records };
    if (!(await this.#writeInTime(write, batch.isPlain))) return false;
    this.#unwritten.settle(batch);
    this.#cursor.settle(orders);
    this.#writtenAt = performance.now();
    if (!batch.isPlain) this.#dueReadAt = Number.NEGATIVE_INFINITY;
    return true;
  }

  async #writeInTime(write: DeliveryWrite, isPlain: boolean): Promise<boolean> {
    const { store, stopping } = this.#settings;
    for (;;) {
      try {
        const isWritten = isPlain && (await store.writeDelivered(write));
        const isHeld = isWritten || (await store.writeRecords(write, this.#state.instants.now));
        this.#isWriteFailing = false;
        return isHeld;
      } catch (error) {
        const mayRetry = performance.now() - this.#writtenAt < webhookLeaseMs && !stopping.aborted;
        if (!(error instanceof DatabaseUnavailable) || !mayRetry) throw error;
        // No attempt starts until a write shows that this server still has the lease.
        this.#isWriteFailing = true;
        await pause(limits.writeRetryMs);
      }
    }
  }

  async #rest(): Promise<void> {
    const now = performance.now();
    const waits = [limits.refreshEveryMs];
    if (this.#unwritten.count > 0) waits.push(limits.gatherMs - this.#unwritten.ageAt(now));
    if (this.#window.hasReady && !this.#isEnding) waits.push(limits.gatherMs);
    this.#wake = new AbortController();
    await pause(Math.max(1, Math.min(...waits)), { signal: this.#wake.signal }).catch(() => undefined);
  }
}
