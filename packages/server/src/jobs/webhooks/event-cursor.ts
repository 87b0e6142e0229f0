// How far a run has read the events of its app, and up to where all of them have a record: they are read in order
// and dealt with in any.

export class EventCursor {
  #readOrder: number;
  #lastOrder: number;
  /** Orders that were read and have no record, ascending. */
  readonly #open = new Set<number>();

  /** Begins after an order. */
  constructor(order: number) {
    this.#readOrder = order;
    this.#lastOrder = order;
  }

  /** The order after which reading goes on. */
  get readOrder(): number {
    return this.#readOrder;
  }

  get isCaughtUp(): boolean {
    return this.#readOrder >= this.#lastOrder;
  }

  /** The app has events up to this order: all of them can be seen. */
  extend(lastOrder: number): void {
    this.#lastOrder = Math.max(this.#lastOrder, lastOrder);
  }

  read(orders: readonly number[]): void {
    for (const order of orders) this.#open.add(order);
    this.#readOrder = Math.max(this.#readOrder, orders.at(-1) ?? 0);
  }

  /** There was nothing more to read: orders without an event were removed, or have a record already. */
  readAll(): void {
    this.#readOrder = Math.max(this.#readOrder, this.#lastOrder);
  }

  /** The cursor that is right once there are records of these orders too. */
  after(orders: ReadonlySet<number>): number {
    for (const order of this.#open) if (!orders.has(order)) return order - 1;
    return this.#readOrder;
  }

  /** There are records of these orders. */
  settle(orders: Iterable<number>): void {
    for (const order of orders) this.#open.delete(order);
  }
}
