// Numbers as texts.

/** The server counts deliveries and stops up to this limit, which is the same for both in the contract. */
const countedMax = 1_000;

const numberFormat = new Intl.NumberFormat('en-GB');

/** "1,200". */
export function numberText(count: number): string {
  return numberFormat.format(count);
}

/** "1 month", "1,200 months". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** Of the rows that need attention. */
export function attentionText(count: number): string {
  return count === 1 ? '1 needs attention' : `${count} need attention`;
}

export function countText(count: number): string {
  return count >= countedMax ? `${numberText(countedMax)}+` : String(count);
}
