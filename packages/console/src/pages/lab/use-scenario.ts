// Runs a scenario step by step. Whatever happens, the steps that restore something are made.

import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { pause } from '../../runtime/pause.ts';
import { useLab } from './lab-context.ts';
import { type BackendStep, isCallOf, type Responses, type ScenarioStep } from './scenarios.ts';

type StepState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped';

interface ScenarioRun {
  readonly states: readonly StepState[];
  readonly isRunning: boolean;
  readonly run: (steps: readonly ScenarioStep[]) => Promise<void>;
  readonly stop: () => void;
  /** Forgets the states of an earlier run. */
  readonly clear: () => void;
}

/** How often the log is read for a call of the backend. */
const watchEveryMs = 1_000;

export function useScenario(): ScenarioRun {
  const { packageName, act, setRunning, isBusy } = useLab();
  const [states, setStates] = useState<readonly StepState[]>([]);
  const stopping = useRef<AbortController>(undefined);
  const run = async (steps: readonly ScenarioStep[]): Promise<void> => {
    if (isBusy) return;
    const controller = new AbortController();
    stopping.current = controller;
    const { signal } = controller;
    setRunning(true);
    setStates(steps.map(() => 'waiting'));
    const setState = (at: number, state: StepState): void =>
      setStates((known) => known.map((before, index) => (index === at ? state : before)));
    let responses: Responses = {};
    const watch = requestWatcher(packageName, signal);
    const make = async (step: ScenarioStep): Promise<void> => {
      if (step.kind === 'backend') return watch.until(step);
      const call = step.call(responses);
      const response = await act(call);
      responses = { ...responses, [call.operation]: response };
    };
    try {
      await watch.begin();
      for (const [at, step] of steps.entries()) {
        const isRestoring = step.kind === 'call' && step.isRestoring === true;
        // Without the answer of getFaults nothing was replaced.
        const isLeft = signal.aborted && !(isRestoring && responses['getFaults'] !== undefined);
        setState(at, isLeft ? 'skipped' : 'running');
        if (isLeft) continue;
        try {
          await make(step);
          setState(at, signal.aborted && !isRestoring ? 'skipped' : 'done');
        } catch {
          // The result panel shows the error.
          controller.abort();
          setState(at, 'failed');
        }
      }
    } finally {
      stopping.current = undefined;
      setRunning(false);
    }
  };
  return {
    states,
    isRunning: stopping.current !== undefined,
    run,
    stop: () => stopping.current?.abort(),
    clear: () => setStates([]),
  };
}

/** Watches the log for calls of the backend; each call counts for one step. */
function requestWatcher(packageName: string, signal: AbortSignal) {
  const counted = new Set<string>();
  const read = async () => (await client.listRequests({ packageName, pageSize: 50 })).requests.toReversed();
  return {
    async begin(): Promise<void> {
      for (const { requestId } of await read()) counted.add(requestId);
    },
    async until(step: BackendStep): Promise<void> {
      while (!signal.aborted) {
        const found = (await read()).find(
          (request) => !counted.has(request.requestId) && isCallOf(step, request),
        );
        if (found !== undefined) {
          counted.add(found.requestId);
          return;
        }
        await pause(watchEveryMs, signal);
      }
    },
  };
}
