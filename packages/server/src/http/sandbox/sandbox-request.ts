// The clock and the faults of a call's app in the sandbox, read at most once per call. In production nothing is read, and
// the time of an app is real time.

import type { FastifyRequest } from 'fastify';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { cutEnd, type TokenClaims } from '../../domain/tokens/access-token.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';

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

/** The current time of the call's app, ms. */
export async function appNowOf(request: FastifyRequest, calls: SandboxCalls): Promise<number> {
  const state = await sandboxStateOf(request, calls);
  return appNow(state?.clock, calls.clock.expected());
}

/** Whether putToken has shortened the lifetime of a token and it has ended; always false in production. */
export async function isTokenEndedEarly(
  request: FastifyRequest,
  claims: TokenClaims,
  calls: SandboxCalls,
): Promise<boolean> {
  const state = await sandboxStateOf(request, calls);
  return state !== undefined && calls.clock.now() >= cutEnd(state.tokenCut, claims);
}
