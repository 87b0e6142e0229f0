// How far a run has read the events of its app, and up to which order all of them have a record. Events are read in
// order and delivered in any order.

export class EventCursor {
  #readOrder: number;
  #lastOrder: number;
  /** Orders that were read and have no record yet, ascending. */
  readonly #open = new Set<number>();

  /** Starts after an order. */
  constructor(order: number) {
    this.#readOrder = order;
    this.#lastOrder = order;
  }

  /** The order after which reading continues. */
  get readOrder(): number {
    return this.#readOrder;
  }

  get isCaughtUp(): boolean {
    return this.#readOrder >= this.#lastOrder;
  }

  /** The app has events up to this order, all of them visible. */
  extend(lastOrder: number): void {
    this.#lastOrder = Math.max(this.#lastOrder, lastOrder);
  }

  read(orders: readonly number[]): void {
    for (const order of orders) this.#open.add(order);
    this.#readOrder = Math.max(this.#readOrder, orders.at(-1) ?? 0);
  }

  /** Skips the remaining orders, which were removed or already have a record. */
  readAll(): void {
    this.#readOrder = Math.max(this.#readOrder, this.#lastOrder);
  }

  /** The cursor to store together with the records of these orders. */
  after(orders: ReadonlySet<number>): number {
    for (const order of this.#open) if (!orders.has(order)) return order - 1;
    return this.#readOrder;
  }

  /** The records of these orders are written. */
  settle(orders: Iterable<number>): void {
    for (const order of orders) this.#open.delete(order);
  }
}
