// Named points at which a test program ends the process, to show that nothing is lost or duplicated there. A server that
// is started in any other way ignores them.

/** In the order in which a renewal reaches them. */
export type CrashPoint = 'afterAttempt' | 'afterCharge' | 'beforeCommit' | 'afterCommit';

/** The options of renewals that only tests set. */
export interface RenewalTesting {
  /** Called when a renewal reaches a point. */
  readonly crashPoints?: (point: CrashPoint) => void;
  /** Called when an assertion about the turns of an app is broken, after the alert. */
  readonly onBroken?: (error: Error) => void;
}
