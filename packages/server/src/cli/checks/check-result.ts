// What a check of the doctor found.

/** `skipped`: there is nothing to check; `warning`: it works, and may not be what is wanted. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** For people, without a secret. */
  readonly detail: string;
}

type Judged = (name: string, detail: string) => CheckResult;

const judged =
  (verdict: CheckResult['verdict']): Judged =>
  (name, detail) => ({ name, verdict, detail });

export const ok = judged('ok');
export const warning = judged('warning');
export const failed = judged('failed');
export const skipped = judged('skipped');
