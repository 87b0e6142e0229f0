// What the sandbox knows of the app of a call: its clock and its faults, read at most once for each call. In
// production there is nothing to know: nothing is read, and an app's instant is real time.

import type { FastifyRequest } from 'fastify';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { cutEnd } from '../../domain/tokens/access-token.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Caller } from '../authentication.ts';

export interface SandboxCalls {
  readonly clock: Clock;
  /** Undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
}

/** The state of the call's app; undefined in production, and for a call that is about no app. */
export function sandboxStateOf(
  request: FastifyRequest,
  { readSandboxState }: SandboxCalls,
): Promise<SandboxState> | undefined {
  if (readSandboxState === undefined || request.call.packageName === null) return undefined;
  request.call.sandboxState ??= readSandboxState(request.call.packageName);
  return request.call.sandboxState;
}

/** The instant of the call's app, ms: at once where it is real time. */
export function appNowOf(request: FastifyRequest, calls: SandboxCalls): number | Promise<number> {
  const state = sandboxStateOf(request, calls);
  if (state === undefined) return calls.clock.now();
  return state.then(({ clock }) => appNow(clock, calls.clock.now()));
}

/** Whether putToken has made this token end before its time; at once, and never so, in production. */
export function isTokenEndedEarly(
  request: FastifyRequest,
  { claims }: Caller,
  calls: SandboxCalls,
): false | Promise<boolean> {
  const state = sandboxStateOf(request, calls);
  if (state === undefined) return false;
  return state.then(({ tokenCut }) => calls.clock.now() >= cutEnd(tokenCut, claims));
}
