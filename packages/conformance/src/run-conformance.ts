// Holds a server against the specification: runs the checks one after the other and reports on each. Whatever
// the server does, the run ends, and ends with a report.

import { purchaseApiCalls } from './calls.ts';
import { type Check, groups } from './check.ts';
import { checks } from './checks/checks.ts';
import { providers } from './evidence/providers.ts';
import { type EvidenceBook, openEvidence } from './evidence.ts';
import { NoAnswer, openExchange } from './http-exchange.ts';
import { callTimeoutMsDefault, runTimeoutMsDefault, runTimeoutMsMax } from './limits.ts';
import { NotSettled } from './not-settled.ts';
import { type CheckResult, type ConformanceReport, makeReport } from './report/report.ts';
import { type Machine, system } from './runtime/system.ts';
import type { ConformanceTarget } from './target.ts';
import { cannotTell, judged, type Verdict } from './verdict.ts';

export type { ConformanceReport } from './report/report.ts';
export type { ConformanceTarget, KnownRecords } from './target.ts';

const runEnded = cannotTell('The run ended before it was reached.');
const changesNotAllowed = 'It may change something, and changes are not allowed (--allow-changes).';

export interface ConformanceOptions {
  /** Makes purchases of the app by the sandbox API of an OpenTill sandbox, and looks at those. */
  readonly usesSandbox?: boolean;
  /** Consumes, cancels and reactivates what is known of the app. */
  readonly allowsChanges?: boolean;
  /** Ids and groups of the checks to run, all by default. */
  readonly only?: readonly string[];
  /** For one call, ms. */
  readonly callTimeoutMs?: number;
  /** For all of them, ms; at most `runTimeoutMsMax`. What is not told by then cannot be. */
  readonly runTimeoutMs?: number;
  /** Ends the run early, with a report. */
  readonly signal?: AbortSignal;
  readonly machine?: Machine;
}

/** The checks of these ids and groups, or the names among them that are neither. */
export function selectChecks(
  only: readonly string[] | undefined,
): { readonly selected: readonly Check[] } | { readonly unknown: readonly string[] } {
  if (only === undefined) return { selected: checks };
  const names = new Set<string>([...groups, ...checks.map(({ id }) => id)]);
  const unknown = only.filter((name) => !names.has(name));
  if (unknown.length > 0) return { unknown };
  return { selected: checks.filter(({ id, group }) => only.includes(id) || only.includes(group)) };
}

/** @throws RangeError for a name in `only` that no check and no group has, and for a time out of bounds. */
export async function runConformance(
  target: ConformanceTarget,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { machine = system, runTimeoutMs = runTimeoutMsDefault } = options;
  const { callTimeoutMs = callTimeoutMsDefault, usesSandbox = false } = options;
  const selection = selectChecks(options.only);
  if ('unknown' in selection) throw new RangeError(`There is no check ${selection.unknown.join(', ')}.`);
  if (!(runTimeoutMs > 0 && runTimeoutMs <= runTimeoutMsMax)) {
    throw new RangeError(`runTimeoutMs: expected at most ${runTimeoutMsMax}, got ${runTimeoutMs}.`);
  }
  const { clientSecret, known = {} } = target;
  const secrets = new Set([clientSecret, known.expiredToken ?? '', known.otherEnvironmentToken ?? '']);
  const startedAt = machine.now();
  const timeout = AbortSignal.timeout(runTimeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  using exchange = openExchange({ origin: target.origin, ca: target.ca, callTimeoutMs, signal });
  const keepSecret = (secret: string): void => void secrets.add(secret);
  const calls = purchaseApiCalls({ exchange, target, machine, signal, keepSecret });
  const book = openEvidence(providers, { target, calls, machine, usesSandbox });
  const results: CheckResult[] = [];
  for (const check of selection.selected) {
    const begunAt = machine.now();
    const verdict = await verdictOf(check, book, { signal, allowsChanges: options.allowsChanges === true });
    results.push({ check, verdict, durationMs: machine.now() - begunAt });
  }
  return makeReport({ target, secrets, startedAt, durationMs: machine.now() - startedAt, results });
}

async function verdictOf(
  check: Check,
  book: EvidenceBook,
  { signal, allowsChanges }: { readonly signal: AbortSignal; readonly allowsChanges: boolean },
): Promise<Verdict> {
  if (signal.aborted) return runEnded;
  if (check.changes === true && !allowsChanges) return cannotTell(changesNotAllowed);
  try {
    const evidence = await book.gather(check.needs);
    if ('missing' in evidence) return cannotTell(evidence.missing);
    return await check.run(evidence.found);
  } catch (error) {
    if (signal.aborted) return runEnded;
    if (error instanceof NotSettled) return cannotTell(error.message);
    if (error instanceof NoAnswer) return error.isReached ? judged(error.message) : cannotTell(error.message);
    throw error;
  }
}
