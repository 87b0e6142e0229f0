// The store's own payment gateway, asked by HTTP (docs/payment-gateway.md). Only a clear answer counts: all
// else is unknown, and the same key is sent again later.

import type { ChargeOutcome } from '../../domain/renewal.ts';
import { signatureHeaders } from '../../domain/webhook-signature.ts';
import type { Clock } from '../../runtime/clock.ts';
import { boundedPost, NoAnswerInTime } from './bounded-post.ts';
import type { Charge, ChargeAnswer, PaymentGateway } from './payment-gateway.ts';

export interface HttpGatewaySettings {
  /** http or https. */
  readonly url: string;
  readonly secret: Buffer;
}

/** A gateway that has not answered within this time, in ms, is asked again later. */
const chargeTimeoutMs = 10_000;

/** An answer is a few words; one that is larger, in bytes, is none. */
const answerBytesMax = 16_384;

type ClearOutcome = Exclude<ChargeOutcome, 'unknown'>;

const outcomes: ReadonlySet<unknown> = new Set([
  'paid',
  'declined',
  'declined_final',
  'pending',
] satisfies ClearOutcome[]);

export function httpGateway(
  { url, secret }: HttpGatewaySettings,
  { clock, timeoutMs = chargeTimeoutMs }: { readonly clock: Clock; readonly timeoutMs?: number },
): PaymentGateway {
  const post = boundedPost(url, { withinMs: timeoutMs, answerBytesMax });
  return {
    async charge(charge, signal) {
      const body = JSON.stringify(bodyOf(charge));
      const message = { id: charge.idempotencyKey, now: clock.now(), body };
      const headers = { 'content-type': 'application/json', ...signatureHeaders(message, [secret]) };
      try {
        const { status, text } = await post({ headers, body, signal });
        return status === 200 ? answerOf(text, charge) : unknown(`status ${status}`);
      } catch (error) {
        // In none of these is it known what has happened.
        if (error instanceof NoAnswerInTime) return unknown(`no answer within ${timeoutMs} ms`);
        return unknown(signal?.aborted === true ? 'called off' : failureOf(error as Error));
      }
    },
  };
}

function unknown(reason: string): ChargeAnswer {
  return { outcome: 'unknown', reason };
}

/** The code of a connection that was refused, reset or cut off: its text may repeat the address. */
function failureOf(failure: NodeJS.ErrnoException): string {
  return failure.code ?? failure.message;
}

function bodyOf({ buyerId, ...charge }: Charge): object {
  return { ...charge, ...(buyerId !== null && { buyerId }) };
}

function answerOf(text: string | undefined, { idempotencyKey }: Charge): ChargeAnswer {
  if (text === undefined) return unknown(`an answer of more than ${answerBytesMax} bytes`);
  const answer = parsed(text);
  if (typeof answer !== 'object' || answer === null) return unknown('an answer that is no JSON object');
  const { outcome, idempotencyKey: key = idempotencyKey } = answer as Record<string, unknown>;
  // A proxy that mixes answers up gives a month to who did not pay for it.
  if (key !== idempotencyKey) return unknown('an answer to another idempotencyKey');
  return isOutcome(outcome) ? { outcome } : unknown('an answer without a known outcome');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOutcome(value: unknown): value is ClearOutcome {
  return outcomes.has(value);
}
