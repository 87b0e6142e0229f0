// Numbers of deliveries and stops, which the server counts up to a limit.

/** The limit in the contract, which is the same for both. */
const countedMax = 1_000;

export function countText(count: number): string {
  return count >= countedMax ? `${countedMax}+` : String(count);
}
