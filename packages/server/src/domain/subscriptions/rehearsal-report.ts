// Adds up the steps of a rehearsal, so that the report is small however many subscriptions there are.

import type { RehearsedStep } from './rehearsal.ts';

/** Counts of charges, and sums in the smallest unit of the currency. */
interface RehearsedSums {
  charged: number;
  amount: number;
  /** Attempts that are declined. */
  declined: number;
  /** Charges that are paid after a decline; they are among the charged ones. */
  recovered: number;
  recoveredAmount: number;
  /** Periods that nobody pays: each attempt is declined, or it is too late for one. */
  lost: number;
  lostAmount: number;
  /** Charges whose outcome is known to the gateway only; none of them is among the charged ones. */
  open: number;
  openAmount: number;
  /** Subscriptions whose last period ends. */
  ended: number;
  /** Periods that are charged only if the customer consents. */
  awaited: number;
  awaitedAmount: number;
}

interface Keyed {
  readonly currency: string;
  readonly date?: string;
  readonly packageName?: string;
  readonly productId?: string;
}

export interface RehearsedRow extends RehearsedSums, Required<Keyed> {
  readonly kind: RehearsedStep['kind'];
  /** That of the period, which is charged in the kinds `trialEnds` and `renewal`. */
  readonly price: number;
}

export type RehearsedTotal = Keyed & RehearsedSums;

interface Sold {
  readonly packageName: string;
  readonly productId: string;
  readonly currency: string;
}

const zero: RehearsedSums = {
  ...{ charged: 0, amount: 0, declined: 0, recovered: 0, recoveredAmount: 0 },
  ...{ lost: 0, lostAmount: 0, open: 0, openAmount: 0, ended: 0 },
  ...{ awaited: 0, awaitedAmount: 0 },
};

export class RehearsalReport {
  readonly #rows = new Map<string, RehearsedRow>();
  readonly #dateOf: (instant: number) => string;

  /** `dateOf` returns the day of an instant. */
  constructor(dateOf: (instant: number) => string) {
    this.#dateOf = dateOf;
  }

  add({ packageName, productId, currency }: Sold, step: RehearsedStep): void {
    const { kind, price } = step;
    const date = this.#dateOf(step.instant);
    const key = `${date}/${packageName}/${productId}/${kind}/${price}/${currency}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { date, packageName, productId, kind, price, currency, ...zero };
      this.#rows.set(key, row);
    }
    addStep(row, step);
  }

  /** By date, app, product, kind and price. */
  rows(): RehearsedRow[] {
    return [...this.#rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
  }

  /** The sums of rows with the same values of some fields. */
  totals(...fields: readonly (keyof Keyed)[]): RehearsedTotal[] {
    const totals = new Map<string, RehearsedTotal>();
    for (const row of this.rows()) {
      const key = Object.fromEntries(fields.map((field) => [field, row[field]])) as unknown as Keyed;
      const name = JSON.stringify(key);
      const total = totals.get(name) ?? { ...key, ...zero };
      for (const sum of Object.keys(zero) as (keyof RehearsedSums)[]) total[sum] += row[sum];
      totals.set(name, total);
    }
    return [...totals.values()];
  }
}

function addStep(row: RehearsedRow, { change, price, attempt, isOpen, kind }: RehearsedStep): void {
  if (isOpen) {
    row.open += 1;
    row.openAmount += price;
    return;
  }
  if (kind === 'lastPeriod') row.ended += 1;
  if (kind === 'awaitsConsent') {
    row.awaited += 1;
    row.awaitedAmount += price;
  }
  if (change === 'renewed') {
    row.charged += 1;
    row.amount += price;
    row.recovered += attempt > 1 ? 1 : 0;
    row.recoveredAmount += attempt > 1 ? price : 0;
  }
  if (change === 'failed' || change === 'failedForGood') row.declined += 1;
  if (change === 'failedForGood' || change === 'overdue') {
    row.lost += 1;
    row.lostAmount += price;
  }
}
