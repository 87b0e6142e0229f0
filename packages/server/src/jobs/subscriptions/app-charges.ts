// The charges of an app on this server: how many may be in flight, and which have ended but are not written yet.

import type { AnsweredCharge } from '../../charging/charges.ts';
import type { Environment } from '../../domain/identifiers.ts';

/** Charges of an app in flight on one server. */
export const slotsMax = 64;

/** The slots of an app that had nothing due, so that many of them whose gateway is dead do not use up those of the server. */
export const slotsAtFirst = 8;

/** `waiting`: it has something to begin, and the server no slot. The job draws the transitions (renewal-job.ts). */
export type AppMode = 'idle' | 'queued' | 'inTurn' | 'waiting';

export class AppCharges {
  readonly packageName: string;
  mode: AppMode = 'idle';
  /** Whether more may be due than what has begun. */
  hasDue = false;
  /** An instant of the app, up to which items are due. */
  dueUntil = 0;
  /** In the sandbox everything happens in the order of its time: nothing begins before what is in flight is written. */
  readonly #isInOrder: boolean;
  #slots = slotsAtFirst;
  #inFlight = 0;
  #answered: AnsweredCharge[] = [];
  /** What could not be written, until the next try. */
  #unwritten: AnsweredCharge[] = [];

  constructor(packageName: string, { environment }: { readonly environment: Environment }) {
    this.packageName = packageName;
    this.#isInOrder = environment === 'sandbox';
  }

  /** How many charges may begin. */
  get freeSlots(): number {
    const isWaiting = this.#inFlight > 0 || this.#answered.length > 0 || this.hasUnwritten;
    if (this.#isInOrder && isWaiting) return 0;
    return Math.max(0, Math.min(this.#slots - this.#inFlight, slotsMax - this.#unwritten.length));
  }

  /** Whether something has ended that can be written. */
  get isWritable(): boolean {
    return this.#answered.length > 0 && !(this.#isInOrder && this.#inFlight > 0);
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  /** Whether nothing is due, in flight or to be written. */
  get isDone(): boolean {
    return !this.hasDue && this.#inFlight === 0 && this.#answered.length === 0 && !this.hasUnwritten;
  }

  findDue(until: number): void {
    this.hasDue = true;
    this.dueUntil = until;
  }

  /** So many have begun of at most `limit`. In the sandbox, a period that is paid may be due again. */
  begin(count: number, limit: number): void {
    this.#inFlight += count;
    this.hasDue = this.#isInOrder ? count > 0 : count === limit;
  }

  /**
   * Ends one that has begun; undefined: it was not sent. Each answer earns a slot, and each charge without one loses it, so
   * that the app has all its slots while most are answered, and otherwise in the end a single one.
   */
  end(answered: AnsweredCharge | undefined): void {
    this.#inFlight -= 1;
    if (answered === undefined) return;
    this.#answered.push(answered);
    if (answered.charged === undefined) return;
    const change = answered.charged.answer.outcome === 'unknown' ? -1 : 1;
    this.#slots = Math.min(slotsMax, Math.max(1, this.#slots + change));
  }

  /** Removes and returns what has ended, in order of due time: of each subscription the first, whatever it changes. */
  takeAnswered(): readonly AnsweredCharge[] {
    const first = new Map<string, AnsweredCharge>();
    for (const one of this.#answered.sort(byDueTime)) {
      if (!first.has(one.firstPurchaseId)) first.set(one.firstPurchaseId, one);
    }
    const taken = new Set(first.values());
    this.#answered = this.#answered.filter((one) => !taken.has(one));
    return [...taken];
  }

  /** Keeps the clear answers among those that could not be written; the other charges are due again when their leases end. */
  keepUnwritten(unwritten: readonly AnsweredCharge[]): void {
    this.#unwritten.push(...unwritten.filter(isClear));
  }

  /** Makes what could not be written writable again. */
  retryUnwritten(): void {
    this.#answered.push(...this.#unwritten.splice(0));
  }
}

function isClear({ charged }: AnsweredCharge): boolean {
  return (
    charged !== undefined && charged.answer.outcome !== 'unknown' && charged.answer.outcome !== 'pending'
  );
}

const byDueTime = (one: AnsweredCharge, other: AnsweredCharge): number =>
  one.dueTime - other.dueTime || (one.firstPurchaseId < other.firstPurchaseId ? -1 : 1);
