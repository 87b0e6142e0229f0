// Numbers of deliveries and stops, which the server counts up to a limit.

/** That of the contract, for both. */
export const countedMax = 1_000;

export function countText(count: number): string {
  return count >= countedMax ? `${countedMax}+` : String(count);
}
