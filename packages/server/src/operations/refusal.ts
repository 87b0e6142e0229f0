// How an operation of the purchase API says no: an expected outcome, hence a value and no exception.

import type { ErrorName } from '@opentill/contract/errors.ts';

export class Refusal {
  readonly error: ErrorName;
  /** Public; replaces the title of the error. */
  readonly message: string | undefined;

  constructor(error: ErrorName, message?: string) {
    this.error = error;
    this.message = message;
  }
}
