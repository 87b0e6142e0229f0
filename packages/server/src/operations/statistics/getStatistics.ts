// Reads what was sold, renewed and voided by day, week or month, or in all by product or app.

import { statisticGroupsMax } from '@opentill/contract/limits.ts';
import { getStatistics as operation } from '@opentill/contract/operator-api/getStatistics.ts';
import { partialNote } from '@opentill/contract/partial-statistics.ts';
import { type StatisticRow, Statistics, statisticCounts } from '@opentill/contract/statistics.ts';
import { dayRangeProblem } from '../../domain/statistics/day-range.ts';
import { countStep, listFreshApps } from '../../store/statistics/statistic-days.ts';
import {
  type CountedRow,
  isGroup,
  readBalances,
  readCountedUntil,
  readCounts,
  readUnpaid,
} from '../../store/statistics/statistic-reads.ts';
import { findStatisticsZone } from '../../store/statistics/statistics-zone.ts';
import type { Store } from '../../store/store.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { Refusal, refuseValue } from '../refusal.ts';
import { shown } from '../shown.ts';

/** Rows of a file by product or app: more than a spreadsheet is read with. */
const fileGroupsMax = 50_000;

export function getStatistics({ database }: Store, ownTimeZone: string): OperatorHandler {
  const read = async ({ query: { by = 'day', ...range }, realNow }: Asked, groupsMax: number) => {
    const problem = dayRangeProblem(range);
    if (problem !== undefined) return refuseValue('invalidRequest', problem.name, problem.message);
    const query = { ...range, by };
    const queryable = database.scopedTo(query.packageName);
    for (const app of await listFreshApps(queryable, query.packageName))
      await countStep(database, app, ownTimeZone);
    // Read first: everything written before this instant is in the rows.
    const countedUntil = await readCountedUntil(queryable, { packageName: query.packageName, realNow });
    const before = await readBalances(queryable, query);
    const counted = await readCounts(queryable, query, groupsMax);
    // After the counts, whose first row fixes it.
    const timeZone = (await findStatisticsZone(database)) ?? ownTimeZone;
    const unpaid = await readUnpaid(queryable, query, { timeZone, realNow });
    const rows = withOpen(counted, unpaid);
    return shown(Statistics, {
      timeZone,
      calledAt: realNow,
      countedUntil: countedUntil ?? null,
      before,
      unpaid: unpaidOf(unpaid),
      rows: isGroup(by) ? rows : withActive(rows, before),
    });
  };
  const handler = operatorHandler(operation, async (call) => {
    const statistics = await read(call, statisticGroupsMax);
    return statistics instanceof Refusal ? statistics : responded(200, statistics);
  });
  return {
    ...handler,
    async *readEntries(call) {
      const statistics = await read(call as unknown as Asked, fileGroupsMax);
      if (statistics instanceof Refusal) return yield statistics;
      if (statistics.countedUntil === undefined) yield { note: partialNote };
      yield statistics.rows.length < fileGroupsMax ? statistics.rows : tooManyGroups();
    },
  };
}

type Asked = Pick<CallOf<typeof operation>, 'query' | 'realNow'>;

function tooManyGroups(): Refusal<'invalidRequest'> {
  const message = `expected less than ${fileGroupsMax} rows of products or apps: choose an app, or fewer days`;
  return refuseValue('invalidRequest', 'by', message);
}

type Unpaid = Awaited<ReturnType<typeof readUnpaid>>;

const noCounts = Object.fromEntries(Object.keys(statisticCounts).map((name) => [name, 0])) as Record<
  keyof typeof statisticCounts,
  number
>;

/** The rows with their open periods, also where nothing else is counted. */
function withOpen(counted: readonly CountedRow[], unpaid: Unpaid): StatisticRow[] {
  const keyOf = (row: Pick<Unpaid[number], 'period' | 'packageName' | 'productId' | 'currency'>) =>
    [row.period, row.packageName, row.productId, row.currency].join(' ');
  const openOf = new Map(unpaid.map((row) => [keyOf(row), row.open]));
  const known = new Set(counted.map(keyOf));
  const others = unpaid.flatMap(({ period, unpaid: _, open, ...key }) =>
    period === null || open === 0 || known.has(keyOf({ period, ...key }))
      ? []
      : [{ period, ...key, ...noCounts }],
  );
  return [...counted, ...others].map(({ packageName, productId, ...row }) => ({
    ...(packageName !== null && { packageName }),
    ...(productId !== null && { productId }),
    ...row,
    open: openOf.get(keyOf({ packageName, productId, ...row })) ?? 0,
  }));
}

/** In the order of periods and currencies, with the active subscriptions at the end of each. */
function withActive(
  rows: readonly StatisticRow[],
  before: readonly { readonly currency: string; readonly active: number }[],
): StatisticRow[] {
  const active = new Map(before.map((balance) => [balance.currency, balance.active]));
  const orderOf = ({ period, currency }: StatisticRow) => `${period} ${currency}`;
  return rows
    .toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1))
    .map((row) => {
      const atEnd = (active.get(row.currency) ?? 0) + row.started - row.ended;
      active.set(row.currency, atEnd);
      return { ...row, active: atEnd };
    });
}

function unpaidOf(unpaid: Unpaid): Statistics['unpaid'] {
  const sums = new Map<string, number>();
  for (const row of unpaid) sums.set(row.currency, (sums.get(row.currency) ?? 0) + row.unpaid);
  return [...sums]
    .filter(([, subscriptions]) => subscriptions > 0)
    .map(([currency, subscriptions]) => ({ currency, subscriptions }));
}
