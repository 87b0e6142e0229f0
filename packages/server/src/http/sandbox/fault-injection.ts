// Lets calls of the purchase API meet the faults of their app, in the sandbox only (docs/decisions/sandbox.md).

import { errors } from '@opentill/contract/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { faultError, statusError } from '../../domain/sandbox/faults.ts';
import { pause } from '../../runtime/pause.ts';
import type { FaultTaker } from '../../store/sandbox/faults.ts';
import type { FaultRow } from '../../store/sandbox/sandbox-state.ts';
import { renderError, sendError } from '../error-response.ts';
import { type SandboxCalls, sandboxStateOf } from './sandbox-request.ts';

export interface FaultInjection {
  readonly take: FaultTaker;
  /** Given when the server stops: answers that are held back are sent at once. */
  readonly stopping: AbortSignal;
}

/** Answers that are held back at once, in this process; the next ones are not: 30 seconds each take memory. */
const heldBackMax = 1_000;

/** For a scope of routes: what a fault does to an answer that is about to be sent. */
export function holdAnswersBack(
  server: FastifyInstance,
  { stopping }: FaultInjection,
  onCut: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  let heldBack = 0;
  server.addHook('onSend', (request, reply, payload, done) => {
    const { fault } = request.call;
    if (fault === null) {
      done(null, payload);
      return;
    }
    const goOn = (): void => {
      if (fault.cut === null) {
        done(null, payload);
        return;
      }
      // Here the call ends: no byte of the answer goes out, and no hook follows.
      request.call.answerWait?.answered();
      request.raw.socket.destroy();
      onCut(request, reply).catch(done);
    };
    if (fault.delayMs === null || heldBack >= heldBackMax) {
      goOn();
      return;
    }
    // The answer is there: what bounds the wait for one is not what bounds a wanted delay.
    request.call.answerWait?.answered();
    heldBack += 1;
    heldUntil(request, { ms: fault.delayMs, stopping }).then(() => {
      heldBack -= 1;
      goOn();
    }, done);
  });
}

/** Ends early when the server stops, or when nobody is there to be answered. */
async function heldUntil(
  request: FastifyRequest,
  { ms, stopping }: { readonly ms: number; readonly stopping: AbortSignal },
): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  const { socket } = request.raw;
  socket.once('close', leave);
  const signal = AbortSignal.any([stopping, gone.signal]);
  try {
    await pause(ms, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    socket.off('close', leave);
  }
}

/** Takes the fault that a call meets, once its app is known; true when that has answered in its place. */
export async function meetsFault(
  request: FastifyRequest,
  reply: FastifyReply,
  { take, calls }: { readonly take: FaultTaker; readonly calls: SandboxCalls },
): Promise<boolean> {
  const state = await sandboxStateOf(request, calls);
  if (state === undefined || request.call.packageName === null) return false;
  const fault = await take(request.call.packageName, state.faults, request.call.operationId);
  request.call.fault = fault ?? null;
  return fault !== undefined && answersInstead(reply, fault);
}

/** True when the operation must not take place: the fault has answered, or will cut the connection. */
function answersInstead(reply: FastifyReply, { operation, code, httpStatus, cut }: FaultRow): boolean {
  if (code !== null) {
    const error = faultError(operation, code);
    if (error === undefined) throw new Error(`A fault of ${operation} has the code ${code}.`);
    sendError(reply, 'purchase', error);
    return true;
  }
  if (httpStatus !== null) {
    sendStatus(reply, httpStatus);
    return true;
  }
  if (cut !== 'before') return false;
  sendError(reply, 'purchase', 'internalError');
  return true;
}

/** The response of the closest error, with another status. */
function sendStatus(reply: FastifyReply, httpStatus: number): void {
  const name = statusError(httpStatus);
  const { headers, body } = renderError('purchase', name);
  reply.request.call.outcome = String(errors[name].code);
  reply.code(httpStatus).headers(headers).send(body);
}
