// The share of one process in the limits of a server that runs in several processes (OPENTILL_WORKERS).

/** For limits that protect the memory of a machine: all processes together keep to them. */
export function shareOf(limit: number, processes: number): number {
  return Math.ceil(limit / processes);
}
