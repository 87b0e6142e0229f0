// Reads what was sold, renewed and voided by day, week or month.

import { getStatistics as operation } from '@opentill/contract/operator-api/getStatistics.ts';
import { Statistics } from '@opentill/contract/statistics.ts';
import { dayRangeProblem } from '../../domain/statistics/day-range.ts';
import { readBalances, readCountedUntil, readPeriods } from '../../store/statistics/statistic-reads.ts';
import type { Store } from '../../store/store.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { refuseValue } from '../refusal.ts';
import { shown } from '../shown.ts';

export function getStatistics({ database }: Store, timeZone: string): OperatorHandler {
  return operatorHandler(operation, async ({ query: { by = 'day', ...range }, realNow }) => {
    const problem = dayRangeProblem(range);
    if (problem !== undefined) return refuseValue('invalidRequest', problem.name, problem.message);
    const query = { ...range, by };
    const queryable = database.scopedTo(query.packageName);
    // Read first: everything written before this instant is in the rows.
    const countedUntil = await readCountedUntil(queryable, { packageName: query.packageName, realNow });
    const before = await readBalances(queryable, query);
    const active = new Map(before.map((balance) => [balance.currency, balance.active]));
    const rows = (await readPeriods(queryable, query)).map((row) => {
      const atEnd = (active.get(row.currency) ?? 0) + row.started - row.ended;
      active.set(row.currency, atEnd);
      return { ...row, active: atEnd };
    });
    return answered(200, shown(Statistics, { timeZone, countedUntil: countedUntil ?? null, before, rows }));
  });
}
