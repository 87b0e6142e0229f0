// A function that computes its value once per key.

/** Nothing is ever evicted, so the keys must be a closed set. */
export function memoize<Key, Value extends object>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    values.set(key, value);
    return value;
  };
}
