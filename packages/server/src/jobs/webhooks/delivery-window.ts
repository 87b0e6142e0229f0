// The deliveries of one webhook that are in memory: some are ready, others wait for an earlier one of the same subject. It
// does not know time, sockets or the database.

import type { EventRow } from '../../store/events/event-rows.ts';
import type { DeliveryRow } from '../../store/webhooks/undelivered-events.ts';

/** An event to deliver, with its delivery so far. */
export interface WindowItem {
  readonly order: number;
  /** Events of one subject are delivered in order; null if the order does not matter. */
  readonly subject: string | null;
  readonly event: EventRow;
  /** undefined until it has a record. */
  readonly delivery: DeliveryRow | undefined;
}

interface Queue {
  /** In flight or ready. */
  readonly head: WindowItem;
  readonly behind: WindowItem[];
}

interface BlockedQueue {
  readonly head: WindowItem;
  readonly behind: readonly WindowItem[];
}

export class DeliveryWindow {
  readonly #fresh: WindowItem[] = [];
  readonly #due: WindowItem[] = [];
  readonly #orders = new Set<number>();
  readonly #subjects = new Map<string, Queue>();
  #behind = 0;
  #isDueNext = true;

  /** Items that are ready, in flight, or behind one that is. */
  get size(): number {
    return this.#orders.size;
  }

  get hasReady(): boolean {
    return this.#fresh.length > 0 || this.#due.length > 0;
  }

  get behindCount(): number {
    return this.#behind;
  }

  /** Items of a subject must be added in order; an item that was already added is skipped. */
  add(item: WindowItem): void {
    if (this.#orders.has(item.order)) return;
    this.#orders.add(item.order);
    const queue = item.subject === null ? undefined : this.#subjects.get(item.subject);
    if (queue !== undefined) {
      queue.behind.push(item);
      this.#behind += 1;
    } else this.#makeReady(item);
  }

  /** The next ready item. Due and fresh items alternate, so that neither kind has to wait for all of the other. */
  next(): WindowItem | undefined {
    const [first, second] = this.#isDueNext ? [this.#due, this.#fresh] : [this.#fresh, this.#due];
    this.#isDueNext = !this.#isDueNext;
    return first?.shift() ?? second?.shift();
  }

  /** Removes a settled item, which makes the next one of its subject ready. */
  pass(item: WindowItem): void {
    const [next, ...behind] = this.#remove(item);
    if (next === undefined) return;
    this.#behind -= 1;
    this.#makeReady(next, behind);
  }

  /** Removes a failed item, and removes and returns the items behind it. */
  stop(item: WindowItem): readonly WindowItem[] {
    return this.#drop(this.#remove(item));
  }

  /** Removes and returns all items behind others, to make room for other subjects. */
  unblock(): BlockedQueue[] {
    const blocked = [...this.#subjects.values()].filter(({ behind }) => behind.length > 0);
    return blocked.map(({ head, behind }) => ({ head, behind: this.#drop(behind.splice(0)) }));
  }

  #makeReady(item: WindowItem, behind: WindowItem[] = []): void {
    if (item.subject !== null) this.#subjects.set(item.subject, { head: item, behind });
    this.#listOf(item).push(item);
  }

  #listOf({ delivery }: WindowItem): WindowItem[] {
    return delivery === undefined ? this.#fresh : this.#due;
  }

  #remove(item: WindowItem): WindowItem[] {
    this.#orders.delete(item.order);
    if (item.subject === null) return [];
    const queue = this.#subjects.get(item.subject);
    this.#subjects.delete(item.subject);
    return queue?.behind ?? [];
  }

  #drop(items: WindowItem[]): WindowItem[] {
    for (const { order } of items) this.#orders.delete(order);
    this.#behind -= items.length;
    return items;
  }
}
