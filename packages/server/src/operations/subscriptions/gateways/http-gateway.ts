// The store's own payment gateway, asked by HTTP (docs/payment-gateway.md). Only a clear answer counts: all
// else is unknown, and the same key is sent again later.

import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';
import { signatureHeaders } from '../../../domain/webhooks/webhook-signature.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { HttpPost, type PostFailure } from '../../../runtime/http-post.ts';
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
  const target = new URL(url);
  const http = new HttpPost({
    withinMs: timeoutMs,
    bodyBytesMax: answerBytesMax,
    keptBytesMax: answerBytesMax,
  });
  return {
    async charge(charge, signal) {
      const body = JSON.stringify(bodyOf(charge));
      const message = { id: charge.idempotencyKey, now: clock.now(), body };
      const headers = { 'content-type': 'application/json', ...signatureHeaders(message, [secret]) };
      const response = await http.post({ url: target, headers, body, signal });
      const { status, failure, isTooLarge } = response;
      // In none of these cases is it known whether the gateway charged.
      if (failure !== undefined) return unknown(reasonOf(failure, timeoutMs));
      if (status !== 200) return unknown(`status ${status}`);
      if (isTooLarge) return unknown(`an answer of more than ${answerBytesMax} bytes`);
      return answerOf(response.body.toString(), charge);
    },
  };
}

function unknown(reason: string): ChargeAnswer {
  return { outcome: 'unknown', reason };
}

/** Codes instead of messages where there is one: a message may contain the address. */
function reasonOf(failure: PostFailure, timeoutMs: number): string {
  switch (failure.kind) {
    case 'timedOut':
      return `no answer within ${timeoutMs} ms`;
    case 'aborted':
      return 'called off';
    case 'connectionLost':
      return 'connection lost';
    case 'malformed':
      return failure.error.message;
    default:
      return (failure.error as NodeJS.ErrnoException).code ?? failure.error.message;
  }
}

function bodyOf({ buyerId, ...charge }: Charge): object {
  return { ...charge, ...(buyerId !== null && { buyerId }) };
}

function answerOf(text: string, { idempotencyKey }: Charge): ChargeAnswer {
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
