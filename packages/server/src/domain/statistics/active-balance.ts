// The number of active subscriptions at the end of each period.

interface Changed {
  readonly currency: string;
  readonly started: number;
  readonly ended: number;
}

interface Balance {
  readonly currency: string;
  readonly active: number;
}

/** Adds the balance at the end of each row to rows in the order of time. */
export function withActive<Row extends Changed>(
  rows: readonly Row[],
  before: readonly Balance[],
): (Row & Pick<Balance, 'active'>)[] {
  const balances = new Map(before.map(({ currency, active }) => [currency, active]));
  return rows.map((row) => {
    const active = (balances.get(row.currency) ?? 0) + row.started - row.ended;
    balances.set(row.currency, active);
    return { ...row, active };
  });
}
