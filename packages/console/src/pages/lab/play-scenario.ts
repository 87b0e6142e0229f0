// Makes the calls of a scenario in order. Whatever happens, faults that it has replaced are set again.

import type { LoggedRequest } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import { type LabCall, makeCall } from '../../api/lab.ts';
import { pause } from '../../runtime/pause.ts';
import type { BackendStep, BrowserStep, ScenarioStep } from './scenarios.ts';

/** How far a step is; `unexpected`: its call succeeded, and led to something else. */
export type StepState =
  | { readonly kind: 'running' | 'done' | 'failed' | 'skipped' }
  | { readonly kind: 'unexpected'; readonly expected: string; readonly found: string };

interface Play {
  readonly packageName: string;
  readonly steps: readonly ScenarioStep[];
  readonly act: (call: LabCall) => Promise<unknown>;
  readonly onState: (at: number, state: StepState) => void;
  readonly signal: AbortSignal;
}

/** How often the log is read for a call of the backend. */
const watchEveryMs = 1_000;

/** Stops at the first step with another outcome than expected. Throws the error of the first call that fails. */
export async function playScenario({ packageName, steps, act, onState, signal }: Play): Promise<void> {
  const responses: Record<string, unknown> = {};
  // Each call of the backend counts for one step.
  const counted = new Set((await readLog(packageName)).map(({ requestId }) => requestId));
  const make = async (step: ScenarioStep, at: number): Promise<StepState> => {
    onState(at, { kind: 'running' });
    try {
      const state = step.kind === 'call' ? await makeStep(step) : await waitForCall(step);
      onState(at, state);
      return state;
    } catch (error) {
      onState(at, { kind: 'failed' });
      throw error;
    }
  };
  const makeStep = async ({ call, expects }: BrowserStep): Promise<StepState> => {
    const made = call(responses);
    const response = await act(made);
    responses[made.operation] = response;
    if (expects === undefined) return { kind: 'done' };
    const { read, outcome, outcomeOf } = expects;
    const examined = read === undefined ? response : await makeCall(read, () => undefined);
    if (read !== undefined) responses[read.operation] = examined;
    const found = outcomeOf(examined);
    return found === outcome ? { kind: 'done' } : { kind: 'unexpected', expected: outcome, found };
  };
  const waitForCall = async (step: BackendStep): Promise<StepState> => {
    for (; !signal.aborted; await pause(watchEveryMs, signal)) {
      const log = await readLog(packageName);
      const found = log.find((request) => !counted.has(request.requestId) && isCallOf(step, request));
      if (found === undefined) continue;
      counted.add(found.requestId);
      return { kind: 'done' };
    }
    return { kind: 'skipped' };
  };
  const last = steps.at(-1);
  const restoring = last?.kind === 'call' && last.isRestoring === true ? last : undefined;
  try {
    for (const [at, step] of steps.entries()) {
      if (signal.aborted) break;
      if (step !== restoring && (await make(step, at)).kind === 'unexpected') break;
    }
  } finally {
    // Without the response to getFaults nothing was replaced.
    if (restoring !== undefined && responses['getFaults'] !== undefined) {
      await make(restoring, steps.length - 1);
    }
  }
}

/** Oldest first. */
async function readLog(packageName: string): Promise<LoggedRequest[]> {
  return (await client.listRequests({ packageName, pageSize: 50 })).requests.toReversed();
}

/** Whether a logged call is the one that a step waits for. */
function isCallOf({ operation, purchaseId, httpStatus }: BackendStep, request: LoggedRequest): boolean {
  return (
    request.operationId === operation &&
    request.httpStatus === httpStatus &&
    request.path.includes(`/${purchaseId}/`)
  );
}
