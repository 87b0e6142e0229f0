// Runs the checks against a server, one after the other. Whatever the server does, the run ends with a report.

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

const runEnded = cannotTell('The run ended before this check.');
const changesNotAllowed = 'This check may change data and needs --allow-changes.';

export interface ConformanceOptions {
  /** Creates test purchases through the sandbox API of an OpenTill sandbox. */
  readonly usesSandbox?: boolean;
  /** Allows the run to consume purchases, and to cancel and reactivate the subscription. */
  readonly allowsChanges?: boolean;
  /** Ids and groups of the checks to run, all by default. */
  readonly only?: readonly string[];
  /** Timeout of one call in ms. */
  readonly callTimeoutMs?: number;
  /** Timeout of the run in ms, at most `runTimeoutMsMax`; later checks are reported as "cannot tell". */
  readonly runTimeoutMs?: number;
  /** Ends the run early, with a report. */
  readonly signal?: AbortSignal;
  readonly machine?: Machine;
}

/** Returns the checks with these ids and groups, or the unknown names. */
export function selectChecks(
  only: readonly string[] | undefined,
): { readonly selected: readonly Check[] } | { readonly unknown: readonly string[] } {
  if (only === undefined) return { selected: checks };
  const names = new Set<string>([...groups, ...checks.map(({ id }) => id)]);
  const unknown = only.filter((name) => !names.has(name));
  if (unknown.length > 0) return { unknown };
  return { selected: checks.filter(({ id, group }) => only.includes(id) || only.includes(group)) };
}

/** @throws RangeError for an unknown name in `only` or an invalid timeout */
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
