// What one run has found out about deliveries and not written yet: the newest record of each.

import type { DeliveryRecord } from '../../store/webhooks/delivery-records.ts';

interface Unwritten {
  readonly record: DeliveryRecord;
  /** It arrived at its first attempt, and nothing can wait for it. */
  readonly isPlain: boolean;
}

interface RecordBatch {
  readonly entries: readonly Unwritten[];
  readonly isPlain: boolean;
}

export class UnwrittenRecords {
  readonly #entries = new Map<number, Unwritten>();
  /** Subjects that may have an open delivery among them: one too many costs a write, one too few the order. */
  readonly #openSubjects = new Set<string>();
  #since: number | undefined;

  get count(): number {
    return this.#entries.size;
  }

  /** How long the oldest has waited at an instant of performance.now(), in ms. */
  ageAt(instant: number): number {
    return this.#since === undefined ? 0 : instant - this.#since;
  }

  add(record: DeliveryRecord, { isPlain }: { readonly isPlain: boolean }): void {
    this.#entries.set(record.eventOrder, { record, isPlain });
    this.#since ??= performance.now();
    this.#noteOpen(record);
  }

  has(order: number): boolean {
    return this.#entries.has(order);
  }

  /** Whether later events of the subject have to wait for one of these. */
  holds(subject: string | null): boolean {
    return subject !== null && this.#openSubjects.has(subject);
  }

  /** All of them, to be written. */
  batch(): RecordBatch {
    const entries = [...this.#entries.values()];
    return { entries, isPlain: entries.every(({ isPlain }) => isPlain) };
  }

  /** Lets go of what is written. What came meanwhile stays. */
  settle({ entries }: RecordBatch): void {
    for (const entry of entries) {
      if (this.#entries.get(entry.record.eventOrder) === entry) this.#entries.delete(entry.record.eventOrder);
    }
    this.#openSubjects.clear();
    for (const { record } of this.#entries.values()) this.#noteOpen(record);
    this.#since = this.#entries.size === 0 ? undefined : performance.now();
  }

  #noteOpen({ state, deliveredTime, subject }: DeliveryRecord): void {
    const isOpen = (state === 'waiting' || state === 'held') && deliveredTime === null;
    if (isOpen && subject !== null) this.#openSubjects.add(subject);
  }
}
