// Makes the calls of a scenario in order. Whatever happens, faults that it has replaced are set again.

import type { LoggedRequest } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import type { LabCall } from '../../api/lab.ts';
import { pause } from '../../runtime/pause.ts';
import type { BackendStep, ScenarioStep } from './scenarios.ts';

export type StepState = 'running' | 'done' | 'failed' | 'skipped';

interface Play {
  readonly packageName: string;
  readonly steps: readonly ScenarioStep[];
  readonly act: (call: LabCall) => Promise<unknown>;
  readonly onState: (at: number, state: StepState) => void;
  readonly signal: AbortSignal;
}

/** How often the log is read for a call of the backend. */
const watchEveryMs = 1_000;

/** Throws the error of the first call that fails. */
export async function playScenario({ packageName, steps, act, onState, signal }: Play): Promise<void> {
  const responses: Record<string, unknown> = {};
  // Each call of the backend counts for one step.
  const counted = new Set((await readLog(packageName)).map(({ requestId }) => requestId));
  const make = async (step: ScenarioStep, at: number): Promise<void> => {
    onState(at, 'running');
    try {
      if (step.kind === 'call') {
        const call = step.call(responses);
        responses[call.operation] = await act(call);
      }
      const isMade = step.kind === 'call' || (await isLogged(step));
      onState(at, isMade ? 'done' : 'skipped');
    } catch (error) {
      onState(at, 'failed');
      throw error;
    }
  };
  const isLogged = async (step: BackendStep): Promise<boolean> => {
    for (; !signal.aborted; await pause(watchEveryMs, signal)) {
      const log = await readLog(packageName);
      const found = log.find((request) => !counted.has(request.requestId) && isCallOf(step, request));
      if (found === undefined) continue;
      counted.add(found.requestId);
      return true;
    }
    return false;
  };
  const last = steps.at(-1);
  const restoring = last?.kind === 'call' && last.isRestoring === true ? last : undefined;
  try {
    for (const [at, step] of steps.entries()) {
      if (signal.aborted) break;
      if (step !== restoring) await make(step, at);
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
