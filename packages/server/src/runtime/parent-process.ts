// Notices the exit of the process that started this one.

/** How often the parent is polled, in ms. */
const pollEveryMs = 500;

export function currentParent(): number {
  return process.ppid;
}

/** Calls `onGone` once when that parent has exited. */
export function watchParent(parent: number, onGone: () => void): void {
  const polling = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(polling);
    onGone();
  }, pollEveryMs).unref();
}
