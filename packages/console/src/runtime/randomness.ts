// Random values of the page.

/** Digits at random. */
export function randomDigits(count: number): string {
  const values = crypto.getRandomValues(new Uint32Array(count));
  return [...values].map((value) => value % 10).join('');
}
