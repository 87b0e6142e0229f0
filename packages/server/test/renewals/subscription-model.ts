// A minimal model of a subscription: its state after requests and gateway responses.

const hourMs = 3_600_000;
const graceMs = 16 * 24 * hourMs;

/** For how long a charge of unknown outcome is retried after a cancel. */
const leftMs = hourMs / 6;

export type SettledOutcome = 'paid' | 'declined' | 'declined_final';

/** The end of a month in UTC, on the day and at the time of the first start, or on the last day of a shorter month. */
function monthsAfter(first: number, months: number): number {
  const date = new Date(first);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (first % (24 * hourMs));
}

export class SubscriptionModel {
  readonly events = ['subscription.started'];
  readonly #first: number;
  readonly #voided = new Set<number>();
  /** The newest month. */
  index = 0;
  start: number;
  expiry: number;
  auto = true;
  /** Terminated. */
  isTerminated = false;
  /** Expired, with its event. */
  isExpired = false;
  /** A charge is in flight or waits for its retry. */
  isCharged = false;
  /** The gateway has responded to it with pending. */
  isPending = false;
  /** What was paid after the end. */
  monthsAfterEnd = 0;
  cancelReason: '0' | '1' | undefined;
  cancelledTime: number | undefined;

  constructor(start: number) {
    this.#first = start;
    this.start = start;
    this.expiry = monthsAfter(start, 1);
  }

  /** Whether it is accepted. */
  cancel(now: number, reason: '0' | '1'): boolean {
    if (!this.auto) return false;
    this.#endAutoPayment(now, reason);
    this.isTerminated = now >= this.expiry && !this.isCharged;
    this.#tell(this.isTerminated ? 'subscription.terminated' : 'subscription.auto_payment_cancelled');
    return true;
  }

  /** Whether it is accepted. */
  reactivate(now: number): boolean {
    if (this.auto || this.isTerminated || now >= this.expiry) return false;
    this.auto = true;
    this.cancelReason = undefined;
    this.cancelledTime = undefined;
    this.#tell('subscription.auto_payment_reactivated');
    return true;
  }

  /** Voids the month with this index; a month that was paid after the end is void already. */
  void(index: number, now: number): void {
    if (index > this.index || this.#voided.has(index)) return;
    this.#voided.add(index);
    this.#tell('purchase.voided');
    if (index < this.index) return;
    this.#endAutoPayment(now, '1');
    this.expiry = Math.min(this.expiry, now);
    if (!this.isTerminated) this.#tell('subscription.terminated');
    this.isTerminated = true;
  }

  /** Whether no charge may begin by now, with nothing written of that yet. */
  isOverdue(now: number): boolean {
    if (this.isTerminated || this.isExpired) return false;
    const isLate = now > this.expiry + graceMs;
    const hasLeft = now > (this.cancelledTime ?? now) + leftMs;
    return this.isCharged ? isLate || (hasLeft && !this.isPending) : this.auto && isLate;
  }

  /** Auto-payment ends, unless it had ended before. */
  expireOverdue(now: number): void {
    if (this.auto) this.#endAutoPayment(now, '1');
    this.#expire();
  }

  /** A charge has been answered for good. */
  settle({ outcome, attempt, now }: { outcome: SettledOutcome; attempt: number; now: number }): void {
    this.isCharged = false;
    const isTooLate = now + hourMs > this.expiry + graceMs;
    const isLast = outcome === 'declined_final' || attempt === 5 || isTooLate;
    if (outcome === 'paid') this.#paid();
    else if (!this.isTerminated && !this.isExpired) this.#declined(now, isLast);
  }

  #paid(): void {
    if (this.isTerminated || this.isExpired) {
      this.monthsAfterEnd += 1;
      this.#tell('purchase.completed', 'purchase.voided');
      return;
    }
    this.index += 1;
    this.start = this.expiry;
    this.expiry = monthsAfter(this.#first, this.index + 1);
    this.#tell('subscription.renewed');
  }

  #declined(now: number, isLast: boolean): void {
    if (this.auto) this.#tell('subscription.payment_failed');
    if (this.auto && !isLast) return;
    if (this.auto) this.#endAutoPayment(now, '1');
    this.#expire();
  }

  /** Whether it expires now, without an open charge. */
  isOver(now: number): boolean {
    return !this.auto && !this.isTerminated && !this.isExpired && !this.isCharged && now >= this.expiry;
  }

  runOut(): void {
    this.#expire();
  }

  #expire(): void {
    this.isExpired = true;
    this.#tell('subscription.expired');
  }

  #endAutoPayment(now: number, reason: '0' | '1'): void {
    this.auto = false;
    this.cancelReason = reason;
    this.cancelledTime = now;
  }

  #tell(...types: string[]): void {
    this.events.push(...types);
  }
}
