// The clock and the faults of a call's app in the sandbox, read at most once per call. In production nothing is read, and
// the time of an app is real time.

import type { FastifyRequest } from 'fastify';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { cutEnd } from '../../domain/tokens/access-token.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Caller } from '../authentication.ts';

export interface SandboxCalls {
  readonly clock: StoreClock;
  /** Undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
}

/** Undefined in production, and for a call that concerns no app. */
export function sandboxStateOf(
  request: FastifyRequest,
  { readSandboxState }: SandboxCalls,
): Promise<SandboxState> | undefined {
  if (readSandboxState === undefined || request.call.packageName === null) return undefined;
  request.call.sandboxState ??= readSandboxState(request.call.packageName);
  return request.call.sandboxState;
}

/** The current time of the call's app, ms; synchronous where that is real time. */
export function appNowOf(request: FastifyRequest, calls: SandboxCalls): number | Promise<number> {
  const state = sandboxStateOf(request, calls);
  if (state === undefined) return calls.clock.expected();
  return state.then(({ clock }) => appNow(clock, calls.clock.expected()));
}

/** Whether putToken has shortened the lifetime of a token and it has ended; always false in production. */
export function isTokenEndedEarly(
  request: FastifyRequest,
  { claims }: Caller,
  calls: SandboxCalls,
): false | Promise<boolean> {
  const state = sandboxStateOf(request, calls);
  if (state === undefined) return false;
  return state.then(({ tokenCut }) => calls.clock.now() >= cutEnd(tokenCut, claims));
}
