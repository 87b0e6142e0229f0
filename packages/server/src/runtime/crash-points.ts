// Named places at which a test's own program ends the process, to prove that nothing is lost or doubled
// there. A server that is started in any other way passes through them.

/** In the order in which a renewal reaches them. */
export type CrashPoint = 'afterAttempt' | 'afterCharge' | 'beforeCommit' | 'afterCommit';

export type CrashPoints = (point: CrashPoint) => void;

export const noCrashPoints: CrashPoints = () => undefined;
