// A server with two workers, and calls of which each goes to the next worker.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { whenAvailable } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { type OpentillOptions, type OpentillProcess, startOpentill } from './opentill-process.ts';

const readyWithinMs = 30_000;

export function startWorkers({ env, ...options }: OpentillOptions): OpentillProcess {
  return startOpentill({ env: { OPENTILL_WORKERS: '2', ...env }, ...options });
}

/** The process ids of the workers of a server; starting ones are among them. */
export function workersOf({ pid }: OpentillProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return children.map(Number).filter((child) => /opentill\.cjs/.test(commandLineOf(child)));
}

/** An empty text if there is no such process. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

interface WorkerAnswer {
  readonly status: number;
  readonly text: string;
  /** Identifies the process that answered. */
  readonly worker: string;
}

interface WorkerCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/**
 * Calls on a connection of its own, which the parent gives to the next worker. Retries a call that got 503, or no
 * response because its connection was on the way to a worker that was killed.
 */
export function callNext(url: string, call: WorkerCall = {}): Promise<WorkerAnswer> {
  return whenAvailable(() =>
    callOnce(url, call).catch((error: Error) => {
      if (error.name === 'AbortError') return { status: 503, text: '', worker: '' };
      throw error;
    }),
  );
}

async function callOnce(
  url: string,
  { method = 'GET', headers = {}, body = '', timeoutMs = 5_000 }: WorkerCall,
): Promise<WorkerAnswer> {
  const own = { 'content-type': 'application/json', ...headers };
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = request(url, { method, headers: own, agent: false, signal });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await Array.fromAsync(response)).toString();
  return { status: response.statusCode ?? 0, text, worker: workerOf(response.headers['x-request-id']) };
}

/** The part of a request id that identifies the process. */
export function workerOf(requestId: unknown): string {
  return String(requestId).split(/-(?=[^-]*$)/)[0] ?? '';
}

/** Repeats a call until two workers have answered it, and returns all answers. */
export async function callBoth(url: string, call: WorkerCall = {}): Promise<WorkerAnswer[]> {
  const answers: WorkerAnswer[] = [];
  return await waitFor(
    async () => {
      answers.push(await callNext(url, call));
      return new Set(answers.map(({ worker }) => worker)).size === 2 ? answers : undefined;
    },
    { deadlineMs: readyWithinMs, what: `two workers that answer ${url}` },
  );
}
