// A check tests one rule of the specification.

import type { Evidence } from './evidence.ts';
import type { Problem } from './verdict.ts';

/** Obtains what the check needs from the evidence, and returns the problems that it found. */
type Run = (evidence: Evidence) => Promise<Problem | readonly Problem[]>;

export interface CheckDraft {
  /** The heading of the specification that defines the rule. */
  readonly section: string;
  readonly rule: string;
  /** Whether it may change a purchase or a subscription, even if only on an incorrect server. */
  readonly changes?: true;
  readonly run: Run;
}

export interface Check extends CheckDraft {
  /** The group and the number in it, such as `token-03`. */
  readonly id: string;
  readonly group: string;
}

const checksOf = (section: string) => ({
  check: (rule: string, run: Run): CheckDraft => ({ section, rule, run }),
  /** Declares a check that may change a purchase or a subscription. */
  changing: (rule: string, run: Run): CheckDraft => ({ section, rule, changes: true, run }),
});

/** Declare the checks of each section of the specification. */
export const service = checksOf('What the service does');
export const resources = checksOf('Resources and their fields');
export const states = checksOf('States and transitions');
export const endpoints = checksOf('Endpoints');
export const accessToken = checksOf('getAccessToken');
export const detailsByProduct = checksOf('getPurchaseDetailsByProductId');
export const lastDetails = checksOf('getLastRecurringPurchaseDetails');
export const voidedQuery = checksOf('getVoidedPurchases query parameters');
export const authentication = checksOf('Authentication');
export const errors = checksOf('Errors');
export const limits = checksOf('Limits');
