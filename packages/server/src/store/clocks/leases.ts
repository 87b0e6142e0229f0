// Leases in SQL.

import { leaseAheadMaxMs } from '../../domain/clocks/leases.ts';

/** SQL for isLeased of domain/clocks/leases.ts, false for null; `now` is SQL for the database's time. */
export function isLeasedSql(leaseUntil: string, now: string, leaseMs: number): string {
  const latest = `${now} + ${leaseAheadMaxMs(leaseMs)}`;
  return `(${leaseUntil} is not null and ${leaseUntil} > ${now} and ${leaseUntil} <= ${latest})`;
}
