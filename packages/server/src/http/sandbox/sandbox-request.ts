// The clock, the faults and the token cut of a call's app in the sandbox, read at most once per call.

import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { cutEnd } from '../../domain/tokens/access-token.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import { type ErrorForm, sendUnauthorized } from '../error-response.ts';

/** Only a sandbox has them: in production, the time of an app is real time. */
export interface SandboxCalls {
  readonly clock: StoreClock;
  readonly readState: (packageName: string) => Promise<SandboxState>;
}

/** Undefined for a call that concerns no app. */
export function sandboxStateOf(
  { call }: FastifyRequest,
  { readState }: SandboxCalls,
): Promise<SandboxState> | undefined {
  if (call.packageName === null) return undefined;
  call.sandboxState ??= readState(call.packageName);
  return call.sandboxState;
}

/** The current time of the call's app, ms. */
export async function appNowOf(request: FastifyRequest, calls: SandboxCalls): Promise<number> {
  const state = await sandboxStateOf(request, calls);
  return appNow(state?.clock, calls.clock.expected());
}

/** Sends 401 if putToken has shortened the lifetime of the call's token and it has ended; runs after authentication. */
export function rejectEndedToken(form: ErrorForm, calls: SandboxCalls): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { tokenClaims } = request.call;
    const state = await sandboxStateOf(request, calls);
    if (tokenClaims === undefined || state === undefined) return undefined;
    const isEnded = calls.clock.now() >= cutEnd(state.tokenCut, tokenClaims);
    return isEnded ? sendUnauthorized(reply, form) : undefined;
  };
}
