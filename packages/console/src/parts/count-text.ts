// Numbers as texts.

/** The server counts deliveries and stops up to this limit, which is the same for both in the contract. */
const countedMax = 1_000;

/** Of the rows that need attention. */
export function attentionText(count: number): string {
  return count === 1 ? '1 needs attention' : `${count} need attention`;
}

export function countText(count: number): string {
  return count >= countedMax ? `${countedMax}+` : String(count);
}
