// How an operation of the purchase API says no: an expected outcome, hence a value and no exception.

import type { FailureName } from '@opentill/contract/failures.ts';

export class Refusal {
  readonly failure: FailureName;
  /** Takes the place of the failure's general text: what was expected, and what came. */
  readonly message: string | undefined;

  constructor(failure: FailureName, message?: string) {
    this.failure = failure;
    this.message = message;
  }
}
