// Reads what was sold, renewed and voided by day, week or month, at most 5 seconds old.

import { getStatistics as operation } from '@opentill/contract/operator-api/getStatistics.ts';
import { Statistics } from '@opentill/contract/statistics.ts';
import { LRUCache } from 'lru-cache';
import { withActive } from '../../domain/statistics/active-balance.ts';
import { dayRangeProblem } from '../../domain/statistics/day-range.ts';
import type { Database } from '../../store/connection/database.ts';
import {
  readBalances,
  readPeriods,
  readProgress,
  type StatisticQuery,
} from '../../store/statistics/statistic-reads.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { refuseValue } from '../refusal.ts';
import { shown } from '../shown.ts';

/** How long a response is used again, in ms (docs/architecture.md). */
const rememberedMs = 5_000;

/** Remembered responses, of 10 to 500 KB each. */
const rememberedMax = 50;

export function getStatistics({
  store: { database },
  timeZone,
}: Uses<'store' | 'timeZone'>): OperatorHandler {
  const remembered = new LRUCache<
    string,
    { readonly statistics: Promise<Statistics>; readonly readAt: number }
  >({ max: rememberedMax });
  return operatorHandler(operation, async ({ query: { by = 'day', ...query }, realNow }) => {
    const problem = dayRangeProblem(query);
    if (problem !== undefined) return refuseValue('invalidRequest', problem.name, problem.message);
    const key = JSON.stringify([by, ...Object.entries(query).sort()]);
    const known = remembered.get(key);
    if (known !== undefined && realNow >= known.readAt && realNow < known.readAt + rememberedMs) {
      return answered(200, await known.statistics);
    }
    const statistics = readStatistics(database, { query: { ...query, by }, timeZone, realNow });
    remembered.set(key, { statistics, readAt: realNow });
    statistics.catch(() => remembered.delete(key));
    return answered(200, await statistics);
  });
}

interface Reading {
  readonly query: StatisticQuery;
  readonly timeZone: string;
  readonly realNow: number;
}

async function readStatistics(
  database: Database,
  { query, timeZone, realNow }: Reading,
): Promise<Statistics> {
  const { packageName } = query;
  const queryable = database.scopedTo(packageName);
  // Read first: everything written before this instant is in the rows.
  const { isFilling, since, oldestUncounted } = await readProgress(queryable, packageName);
  const before = await readBalances(queryable, query);
  const rows = withActive(await readPeriods(queryable, query), before);
  const countedUntil = isFilling === true ? null : (oldestUncounted ?? realNow);
  return shown(Statistics, { timeZone, countedUntil, since, before, rows });
}
