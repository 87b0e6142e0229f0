// Compares a response in a document with the received one: the same fields in the same order and of the same types. Values
// may differ.

/** Lists the differences with their paths. A document may show only some entries of a list. */
export function shapeProblems(shown: unknown, came: unknown, path = ''): string[] {
  const here = path === '' ? 'the response' : path;
  if (Array.isArray(shown)) {
    if (!Array.isArray(came)) return [`${here}: shown as a list, came ${JSON.stringify(came)}`];
    if (shown.length > 0 && came.length === 0) return [`${here}: shown with entries, came empty`];
    return shown.flatMap((entry, index) => shapeProblems(entry, came[0], `${path}/${index}`));
  }
  if (typeof shown !== 'object' || shown === null) {
    return typeof shown === typeof came ? [] : [`${here}: shown ${shown}, came ${JSON.stringify(came)}`];
  }
  if (typeof came !== 'object' || came === null) return [`${here}: shown as an object, came ${came}`];
  const [shownKeys, cameKeys] = [Object.keys(shown), Object.keys(came)];
  if (shownKeys.join() !== cameKeys.join())
    return [`${here}: shown with ${shownKeys}, came with ${cameKeys}`];
  return Object.entries(shown).flatMap(([key, value]) =>
    shapeProblems(value, (came as Record<string, unknown>)[key], `${path}/${key}`),
  );
}
