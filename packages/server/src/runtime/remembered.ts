// What is made once for each key, and kept as long as the function that gives it.

/** The keys have to be a closed set: nothing is ever forgotten. */
export function remembered<Key, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
