// The result of a check.

export type Outcome = 'pass' | 'fail' | 'cannot tell';

export type Verdict =
  | { readonly outcome: 'pass' }
  | { readonly outcome: 'fail' | 'cannot tell'; readonly because: string };

export const pass: Verdict = { outcome: 'pass' };

export function cannotTell(because: string): Verdict {
  return { outcome: 'cannot tell', because };
}

/** Fails with all given problems, and passes if all are undefined. */
export function judged(...problems: readonly (string | undefined)[]): Verdict {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? pass : { outcome: 'fail', because: found.join(' ') };
}
