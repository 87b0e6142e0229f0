// How an operation rejects a call: an expected outcome, hence a value and not an exception.

import type { ErrorName, ProblemEntry } from '@opentill/contract/errors.ts';

export class Refusal<Name extends ErrorName = ErrorName> {
  readonly error: Name;
  /** Public: what was expected and what was received; replaces the title of the error. */
  readonly detail: string | undefined;
  /** The invalid values of the request; the purchase API does not show them. */
  readonly errors: readonly ProblemEntry[] | undefined;

  constructor(error: Name, detail?: string, errors?: readonly ProblemEntry[]) {
    this.error = error;
    this.detail = detail;
    this.errors = errors;
  }
}

/** A refusal because of too many calls, which is over after some time. */
export class TooManyCalls extends Refusal<'tooManyRequests'> {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterMs: number) {
    super('tooManyRequests', detail);
    this.retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  }
}

/** A refusal because of one value: `path` is a JSON pointer into the body, or the name of a parameter. */
export function refuseValue<Name extends ErrorName>(
  error: Name,
  path: string,
  message: string,
): Refusal<Name> {
  return new Refusal(error, `${path.replace(/^\//, '')}: ${message}.`, [{ path, message }]);
}
