// What an advance needs of renewals, which jobs/subscriptions makes.

import type { Queryable } from '../../store/connection/database.ts';
import type { Author } from '../../store/events/events.ts';
import type { DueRenewal } from '../../store/subscriptions/due-renewals.ts';

export interface AdvancedRenewals {
  readonly packageName: string;
  readonly author: Author;
  /** What can happen together, in order of due time. */
  readonly due: readonly DueRenewal[];
  /** The lease of the app's clock; `move` returns false if it is lost. */
  readonly lease: {
    readonly now: number;
    move(transaction: Queryable, appTime: number): Promise<boolean>;
  };
}

/** Returns how many were renewed, expired or postponed; nothing is written if the lease is lost. */
export type RenewInAdvance = (renewals: AdvancedRenewals) => Promise<number | 'leaseLost'>;
