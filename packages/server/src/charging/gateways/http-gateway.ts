// The store's own payment gateway, called by HTTP (docs/payment-gateway.md). Anything but a definite answer is unknown,
// and the same key is sent again later.

import type { ChargeOutcome } from '../../domain/subscriptions/renewal.ts';
import { quoteJson } from '../../domain/text/quoted-value.ts';
import { signatureHeaders } from '../../domain/webhooks/webhook-signature.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type HttpFailure, OutgoingHttp } from '../../runtime/outgoing-http.ts';
import type { ChargeAnswer, ChargeRequest, PaymentGateway } from './payment-gateway.ts';

export interface HttpGatewaySettings {
  /** http or https. */
  readonly url: string;
  readonly secret: Buffer;
}

/** The timeout of a charge, in ms. */
export const chargeTimeoutMs = 10_000;

/** Larger answers, in bytes, are unknown; an answer is a few words long. */
const answerBytesMax = 16_384;

type DefiniteOutcome = Exclude<ChargeOutcome, 'unknown'>;

const outcomes: readonly unknown[] = [
  'paid',
  'declined',
  'declinedFinal',
  'pending',
] satisfies DefiniteOutcome[];

export function httpGateway(
  { url, secret }: HttpGatewaySettings,
  { clock, timeoutMs = chargeTimeoutMs }: { readonly clock: Clock; readonly timeoutMs?: number },
): PaymentGateway {
  const target = new URL(url);
  const http = new OutgoingHttp({ withinMs: timeoutMs, bodyBytesMax: answerBytesMax });
  return {
    async charge(request, signal) {
      const body = JSON.stringify(bodyOf(request));
      const message = { id: request.idempotencyKey, now: clock.now(), body };
      const headers = { 'content-type': 'application/json', ...signatureHeaders(message, [secret]) };
      const response = await http.send({ method: 'POST', url: target, headers, body, signal });
      const { status, failure, isTooLarge } = response;
      // In each of these cases the gateway may have charged.
      const unknown = (reason: string): ChargeAnswer => ({ outcome: 'unknown', status, reason });
      if (failure !== undefined) return unknown(reasonOf(failure, timeoutMs));
      if (status !== 200) return unknown(`status ${status}`);
      if (isTooLarge) return unknown(`an answer of more than ${answerBytesMax} bytes`);
      const answer = answerOf(response.body.toString(), request);
      return typeof answer === 'string' ? unknown(answer) : answer;
    },
  };
}

/** Prefers a code to a message, which may contain the address. */
function reasonOf(failure: HttpFailure, timeoutMs: number): string {
  switch (failure.kind) {
    case 'timedOut':
      return `no answer within ${timeoutMs} ms`;
    case 'aborted':
      return 'aborted';
    case 'connectionLost':
      return 'connection lost';
    case 'malformed':
      return failure.error.message;
    default:
      return (failure.error as NodeJS.ErrnoException).code ?? failure.error.message;
  }
}

function bodyOf({ buyerId, ...request }: ChargeRequest): object {
  return { ...request, ...(buyerId !== null && { buyerId }) };
}

/** Returns the outcome, or why an answer has none. */
function answerOf(text: string, { idempotencyKey }: ChargeRequest): ChargeAnswer | string {
  const answer = parsed(text);
  if (typeof answer !== 'object' || answer === null) return 'an answer that is not a JSON object';
  const { outcome, idempotencyKey: key } = answer as Record<string, unknown>;
  // A proxy that mixes up answers would give a period to a buyer who did not pay for it.
  if ((key ?? idempotencyKey) !== idempotencyKey) return 'an answer to another idempotencyKey';
  if (isOutcome(outcome)) return { outcome };
  return `outcome: expected ${outcomes.slice(0, -1).join(', ')} or ${outcomes.at(-1)}, got ${quoteJson(outcome)}`;
}

/** Some frameworks write a byte order mark. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function isOutcome(value: unknown): value is DefiniteOutcome {
  return outcomes.includes(value);
}
