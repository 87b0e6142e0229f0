// The newest record of each delivery that a run has not written yet.

import type { DeliveryRecord } from '../../store/webhooks/delivery-records.ts';

interface Unwritten {
  readonly record: DeliveryRecord;
  /** The first attempt succeeded, so that nothing waits for this delivery. */
  readonly isPlain: boolean;
}

interface RecordBatch {
  readonly entries: readonly Unwritten[];
  readonly isPlain: boolean;
}

export class UnwrittenRecords {
  readonly #entries = new Map<number, Unwritten>();
  /** Subjects that may have an open delivery here: an extra one costs a write, a missing one breaks the order. */
  readonly #openSubjects = new Set<string>();
  #since: number | undefined;

  get count(): number {
    return this.#entries.size;
  }

  /** How long the oldest record has waited at an instant of performance.now(), in ms. */
  ageAt(instant: number): number {
    return this.#since === undefined ? 0 : instant - this.#since;
  }

  add(record: DeliveryRecord, { isPlain }: { readonly isPlain: boolean }): void {
    this.#entries.set(record.eventOrder, { record, isPlain });
    this.#since ??= performance.now();
    this.#trackOpenSubject(record);
  }

  has(order: number): boolean {
    return this.#entries.has(order);
  }

  /** Whether later events of the subject have to wait for one of these records. */
  blocks(subject: string | null): boolean {
    return subject !== null && this.#openSubjects.has(subject);
  }

  /** All records, to be written. */
  batch(): RecordBatch {
    const entries = [...this.#entries.values()];
    return { entries, isPlain: entries.every(({ isPlain }) => isPlain) };
  }

  /** Drops the records that are written, and keeps those added since then. */
  settle({ entries }: RecordBatch): void {
    for (const entry of entries) {
      if (this.#entries.get(entry.record.eventOrder) === entry) this.#entries.delete(entry.record.eventOrder);
    }
    this.#openSubjects.clear();
    for (const { record } of this.#entries.values()) this.#trackOpenSubject(record);
    this.#since = this.#entries.size === 0 ? undefined : performance.now();
  }

  #trackOpenSubject({ state, deliveredTime, subject }: DeliveryRecord): void {
    const isOpen = (state === 'waiting' || state === 'held') && deliveredTime === null;
    if (isOpen && subject !== null) this.#openSubjects.add(subject);
  }
}
