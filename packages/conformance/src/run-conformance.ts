// Runs the checks against a server, one after the other. Whatever the server does, the run ends with a report.

import { openCalls } from './calls.ts';
import type { Check } from './check.ts';
import { checks } from './checks/checks.ts';
import { Evidence } from './evidence.ts';
import { openExchange } from './http-exchange.ts';
import { callTimeoutMsDefault, runTimeoutMsDefault, runTimeoutMsMax } from './limits.ts';
import { type CheckResult, type ConformanceReport, makeReport } from './report/report.ts';
import { type Machine, system } from './runtime/system.ts';
import { type Operator, recordOtherPurchase } from './sandbox.ts';
import type { ConformanceTarget } from './target.ts';
import { Inconclusive, inconclusive, NoResponse, type Verdict } from './verdict.ts';

export type { ConformanceReport } from './report/report.ts';
export type { ConformanceTarget, KnownRecords } from './target.ts';

export interface ConformanceOptions {
  /** Creates test purchases through the developer API of an OpenTill sandbox. */
  readonly usesSandbox?: boolean;
  /** The operator listener of the sandbox, where a second app is created. */
  readonly operator?: Operator | undefined;
  /** Allows the run to consume purchases, and to cancel and reactivate the subscription. */
  readonly allowsChanges?: boolean;
  /** Ids and groups of the checks to run, all by default. */
  readonly only?: readonly string[] | undefined;
  /** Timeout of one call in ms. */
  readonly callTimeoutMs?: number;
  /** Timeout of the run in ms, at most `runTimeoutMsMax`; later checks are reported as inconclusive. */
  readonly runTimeoutMs?: number;
  /** Ends the run early, with a report. */
  readonly signal?: AbortSignal | undefined;
  readonly machine?: Machine;
}

/** @throws RangeError for an unknown name in `only` or an invalid timeout */
export async function runConformance(
  target: ConformanceTarget,
  { machine = system, runTimeoutMs = runTimeoutMsDefault, ...options }: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { callTimeoutMs = callTimeoutMsDefault, usesSandbox = false, allowsChanges = false } = options;
  const { operator } = options;
  const selected = selectedChecks(options.only);
  if (!(runTimeoutMs > 0 && runTimeoutMs <= runTimeoutMsMax)) {
    throw new RangeError(`runTimeoutMs: expected at most ${runTimeoutMsMax}, got ${runTimeoutMs}.`);
  }
  const { clientSecret, known = {} } = target;
  const secrets = new Set([
    clientSecret,
    known.expiredToken ?? '',
    known.otherEnvironmentToken ?? '',
    operator?.key ?? '',
  ]);
  const startedAt = machine.now();
  const timeout = AbortSignal.timeout(runTimeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const limits = { callTimeoutMs, signal };
  const exchange = openExchange(target, limits);
  const keepSecret = (secret: string): void => void secrets.add(secret);
  const calls = openCalls({ exchange, target, machine, signal, keepSecret });
  const recordOther = operator && (() => recordOtherPurchase(operator, openExchange(operator, limits)));
  const evidence = new Evidence({ target, calls, machine, usesSandbox, recordOther });
  const results: CheckResult[] = [];
  for (const check of selected) {
    const begunAt = machine.now();
    const verdict = await verdictOf(check, evidence, { signal, allowsChanges });
    results.push({ check, verdict, durationMs: machine.now() - begunAt });
  }
  return makeReport({ target, secrets, startedAt, durationMs: machine.now() - startedAt, results });
}

function selectedChecks(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const names = new Set(checks.flatMap(({ id, group }) => [id, group]));
  const unknown = only.filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new RangeError(`only: expected checks and groups, got ${unknown.join(', ')}.`);
  return checks.filter(({ id, group }) => only.includes(id) || only.includes(group));
}

async function verdictOf(
  check: Check,
  evidence: Evidence,
  { signal, allowsChanges }: { readonly signal: AbortSignal; readonly allowsChanges: boolean },
): Promise<Verdict> {
  try {
    signal.throwIfAborted();
    if (check.changes && !allowsChanges)
      inconclusive('This check may change data and needs --allow-changes.');
    const problems = [await check.run(evidence)].flat().filter((problem) => problem !== undefined);
    return problems.length === 0 ? { outcome: 'pass' } : { outcome: 'fail', because: problems.join(' ') };
  } catch (error) {
    if (signal.aborted) return { outcome: 'inconclusive', because: 'The run ended before this check.' };
    if (error instanceof Inconclusive) return { outcome: 'inconclusive', because: error.message };
    if (error instanceof NoResponse) return { outcome: 'fail', because: error.message };
    throw error;
  }
}
