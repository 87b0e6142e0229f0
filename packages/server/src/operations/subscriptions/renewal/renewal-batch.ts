// What the renewal of a few subscriptions of one app is given, and what it tells.

import type { Environment } from '../../../domain/identifiers.ts';
import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { CrashPoints } from '../../../runtime/crash-points.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Randomness } from '../../../runtime/randomness.ts';
import type { Database, Queryable } from '../../../store/connection/database.ts';
import type { Author } from '../../../store/events/events.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import type { Charge, PaymentGateway } from '../gateways/payment-gateway.ts';

/** What renewing needs besides the batch: the same for all of a server. */
export interface RenewalParts {
  readonly database: Pick<Database, 'rows' | 'transaction'>;
  readonly gateway: PaymentGateway;
  readonly environment: Environment;
  readonly randomness: Randomness;
  /** Real time, which leases are counted in. */
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoints: CrashPoints;
  /** Names this server among those that may hold an attempt. */
  readonly holder: string;
}

/** All items are charged at once: whoever makes a batch bounds its size. */
export interface RenewalBatch {
  readonly packageName: string;
  readonly items: readonly DueRenewal[];
  /**
   * Runs first in each transaction and gives the app's instant, which is then no other until that ends; if it
   * fails, the transaction is rolled back. An item that turns out to be due later is left alone.
   */
  readonly holdNow: (transaction: Queryable) => Promise<number>;
  /**
   * `now`: each item happens at the instant of the transaction that writes it, as its answer comes. `dueTime`:
   * each happens at its own, as when a clock is moved past it, and all are settled together, in order of time.
   */
  readonly happensAt: 'now' | 'dueTime';
  /** Whether an attempt that another server has in hand is let be; false where the whole app is leased. */
  readonly respectsLeases: boolean;
  readonly author: Author;
  /** Ends charges that are under way: they stay open. */
  readonly signal?: AbortSignal;
  /**
   * Runs in each transaction that writes, before the counter row is locked, with the latest instant of what
   * that transaction writes; if it fails, the transaction is rolled back.
   */
  readonly alongside?: (transaction: Queryable, instant: number) => Promise<void>;
}

/** The app is being advanced: what falls due happens there. */
export class ClockIsMoved extends Error {}

/** The instant at which an item of a batch begins. What is overdue where a clock is moved happens now. */
export function instantOf(
  { happensAt }: RenewalBatch,
  item: { readonly dueTime: number },
  now: number,
): number {
  return happensAt === 'now' ? now : Math.max(now, item.dueTime);
}

interface BegunItem {
  readonly firstPurchaseId: string;
  /** When it was begun, an instant of the app; of equal ones the lower position comes first. */
  readonly instant: number;
  readonly position: number;
}

/** A charge that is to be made now. */
export interface BegunCharge extends BegunItem {
  readonly kind: 'charge';
  readonly charge: Charge;
  /** How often it was sent, this time included. */
  readonly tries: number;
}

/** An expiry that is to be told now. */
export interface BegunExpiry extends BegunItem {
  readonly kind: 'expiry';
}

/** A charge with what the gateway answered. */
export interface AnsweredCharge extends BegunCharge {
  readonly outcome: ChargeOutcome;
}

/** What can be settled. */
export type Answered = AnsweredCharge | BegunExpiry;
