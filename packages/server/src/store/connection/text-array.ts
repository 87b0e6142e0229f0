// The text form of a text[] parameter. pg makes the same of an array, with two replacements for each element;
// this is for the statements of the hot paths, where that shows.

/** What has a meaning of its own between the quotes of an element. */
const special = /["\\]/g;

/** An array literal of PostgreSQL; every element is quoted, so that `NULL` and the empty text stay texts. */
export function textArray(values: readonly string[]): string {
  let literal = '';
  for (const value of values) {
    const needsEscape = value.includes('"') || value.includes('\\');
    literal += `${literal === '' ? '{"' : '","'}${needsEscape ? value.replace(special, '\\$&') : value}`;
  }
  return literal === '' ? '{}' : `${literal}"}`;
}
