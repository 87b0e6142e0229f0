// The process that has started this one.

/** How often it is looked for, in ms. */
const lookEveryMs = 500;

export function currentParent(): number {
  return process.ppid;
}

/** Calls `onGone` once when the parent of that time has ended. */
export function watchParent(parent: number, onGone: () => void): void {
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    onGone();
  }, lookEveryMs).unref();
}
