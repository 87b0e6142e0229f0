// The time of apps in SQL.

/**
 * SQL for appNow of domain/sandbox/app-clock.ts. `clock` is the alias of a left join of app_clock, without a row for real
 * time, and `realNow` is SQL for the real instant.
 */
export function appTimeSql(clock: string, realNow: string): string {
  return `app_time_v1(${clock}.mode, ${clock}.rate, ${clock}.real_time, ${clock}.app_time, ${realNow})`;
}
