// The process that has started this one.

/** How often it is looked for, in ms. */
const lookEveryMs = 500;

/** Calls `onGone` once when the parent has ended. */
export function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    onGone();
  }, lookEveryMs).unref();
}
