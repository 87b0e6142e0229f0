// What a test does about a broken assertion, which a server only logs.

/** Fails the test in which an assertion about renewals is broken. */
export function onBroken(error: Error): never {
  throw error;
}
