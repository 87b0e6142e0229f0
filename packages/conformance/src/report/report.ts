// The result of a run as data. Texts from the server are made safe to print: secrets are masked, control characters
// replaced, and long texts truncated.

import type { Check } from '../check.ts';
import type { ConformanceTarget } from '../target.ts';
import type { Outcome, Verdict } from '../verdict.ts';

/** Longest reason: what was expected, and the beginning of the response. */
const reasonMax = 600;

const mask = '***';

/** Control and format characters, and unassigned code points. */
const unprintable = /\p{C}/gu;

export interface CheckResult {
  readonly check: Check;
  readonly verdict: Verdict;
  readonly durationMs: number;
}

export interface ReportedCheck extends Pick<Check, 'id' | 'group' | 'section' | 'rule'>, Verdict {
  readonly durationMs: number;
}

export interface ConformanceReport {
  readonly server: string;
  readonly clientId: string;
  readonly packageName: string;
  /** Ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly checks: readonly ReportedCheck[];
}

interface Findings extends Pick<ConformanceReport, 'startedAt' | 'durationMs'> {
  readonly target: ConformanceTarget;
  readonly secrets: Iterable<string>;
  readonly results: readonly CheckResult[];
}

export function makeReport({ target, secrets, results, ...times }: Findings): ConformanceReport {
  const forms = formsOf(secrets);
  const count = (outcome: Outcome) => results.filter(({ verdict }) => verdict.outcome === outcome).length;
  return {
    server: target.origin,
    clientId: printableText(target.clientId, forms),
    packageName: printableText(target.packageName, forms),
    ...times,
    counts: { pass: count('pass'), fail: count('fail'), inconclusive: count('inconclusive') },
    checks: results.map(({ check: { id, group, section, rule }, verdict, durationMs }) => ({
      id,
      group,
      section,
      rule,
      outcome: verdict.outcome,
      ...(verdict.because !== undefined && { because: printableText(verdict.because, forms) }),
      durationMs,
    })),
  };
}

/** Returns each secret as plain text and as encoded in forms, paths and JSON, longest first. */
function formsOf(secrets: Iterable<string>): readonly string[] {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
  ]);
  return [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
}

function printableText(text: string, secretForms: readonly string[]): string {
  const masked = secretForms.reduce((rest, form) => rest.replaceAll(form, mask), text);
  const printable = masked.toWellFormed().replaceAll(/\s+/g, ' ').replaceAll(unprintable, '?');
  return printable.length > reasonMax ? `${printable.slice(0, reasonMax).toWellFormed()}...` : printable;
}
