// What is kept of a call while it is answered: one object, made as the call begins. Decorations of their own would be
// set on each request by name: for ten of them that is 7 in 100 of the processor time of a read.

import type { FastifyReply } from 'fastify';
import type { AnswerWait } from '../../runtime/answer-deadline.ts';
import type { FaultRow, SandboxState } from '../../store/sandbox/sandbox-state.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Made by beginCall, before anything is answered. */
    call: CallState;
  }
}

export class CallState {
  /** performance.now() when the call came in. */
  readonly receivedAt = performance.now();
  /** The operationId, or `unknown` until a route has been found. */
  operationId = 'unknown';
  /** The package name of the app concerned, or null. */
  packageName: string | null = null;
  /** `success` or the error code: what is logged and counted. */
  outcome = 'success';
  answerWait: AnswerWait<FastifyReply> | null = null;
  /** Who is kept as the author of what an operator's or a sandbox call changes. */
  madeBy = '';
  /** Null until it has been asked for. */
  sandboxState: Promise<SandboxState> | null = null;
  /** The fault that the call has met; null in production. */
  fault: FaultRow | null = null;
  /** Real time at which the call came in, ms; 0 in production. */
  calledAt = 0;
  /** The body of the answer; in production it is not kept. */
  answerText = '';
  /** A token was asked for with every parameter as it has to be, but perhaps the secret. */
  isTokenFormRight = false;
}
