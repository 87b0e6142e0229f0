// The share of this process in the limits of a server that runs in several processes (OPENTILL_WORKERS).

let processes = 1;

/** Called once, before anything in this process is limited. */
export function shareLimits(count: number): void {
  processes = count;
}

/** For limits that protect the memory of a machine: all processes together keep to them. */
export function shareOf(limit: number): number {
  return Math.ceil(limit / processes);
}
