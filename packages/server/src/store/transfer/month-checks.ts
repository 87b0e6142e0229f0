// Checks imported months against each other, and against their events where those are here.

import Type from 'typebox';
import { listProductsOfMonth } from '../months/closed-months.ts';
import { addUp, type ProductSums } from '../months/month-sums.ts';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

// Served by closed_month_of_app and, for the first event, by the primary key of event.
const selectMonths = statement({
  name: 'select_imported_months',
  text: `select m.month, m.first_order as "firstOrder", m.last_order as "lastOrder", m.is_incomplete as "isIncomplete",
      (select min(e.event_order) from event e where e.package_name = $1) as "firstRetained"
    from closed_month m where m.package_name = $1 and m.product_id = '' order by m.month`,
  row: Type.Object({
    month: Type.String(),
    firstOrder: Type.Integer(),
    lastOrder: Type.Integer(),
    isIncomplete: Type.Boolean(),
    firstRetained: nullable(Type.Integer()),
  }),
});

export async function monthProblems(
  transaction: Queryable,
  packageName: string,
): Promise<{ kind: string; key: string; problem: string }[]> {
  const problems: { kind: string; key: string; problem: string }[] = [];
  let next: number | undefined;
  for (const row of await transaction.rows(selectMonths, [packageName])) {
    const { month, firstOrder, lastOrder, isIncomplete, firstRetained } = row;
    const problemOf = (problem: string) => problems.push({ kind: 'closedMonth', key: month, problem });
    if (next !== undefined && firstOrder !== next)
      problemOf(`firstOrder: expected ${next}, after the month before, got ${firstOrder}`);
    next = lastOrder + 1;
    const areEventsHere = firstOrder > lastOrder || (firstRetained ?? Number.POSITIVE_INFINITY) <= firstOrder;
    if (isIncomplete || !areEventsHere) continue;
    const [summed] = await addUp(transaction, {
      packageName,
      after: firstOrder - 1,
      until: lastOrder,
      ends: [],
    });
    const stored = await listProductsOfMonth(transaction, { packageName, month });
    if (textOf(summed?.products ?? []) !== textOf(stored))
      problemOf(`expected the sums of its events, from ${firstOrder} to ${lastOrder}, got others`);
  }
  return problems;
}

/** The same text for the same sums. */
function textOf(products: readonly ProductSums[]): string {
  const lines = products.map((sums) => Object.entries(sums).toSorted().join(' '));
  return lines.toSorted().join('\n');
}
