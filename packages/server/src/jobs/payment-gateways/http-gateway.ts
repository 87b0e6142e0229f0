// The store's own payment gateway, asked by HTTP (docs/payment-gateway.md). Only a clear answer counts: all
// else is unknown, and the same key is sent again later.

import type { ChargeOutcome } from '../../domain/renewal.ts';
import { signatureHeaders } from '../../domain/webhook-signature.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Charge, PaymentGateway } from './payment-gateway.ts';

export interface HttpGatewaySettings {
  /** http or https. */
  readonly url: string;
  readonly secret: Buffer;
}

/** A gateway that has not answered within this time, in ms, is asked again later. */
export const chargeTimeoutMs = 10_000;

/** An answer is a few words; one that is larger, in bytes, is none. */
const answerBytesMax = 16_384;

const outcomes: ReadonlySet<unknown> = new Set([
  'paid',
  'declined',
  'declined_final',
  'pending',
] satisfies ChargeOutcome[]);

export function httpGateway(
  { url, secret }: HttpGatewaySettings,
  { clock, timeoutMs = chargeTimeoutMs }: { readonly clock: Clock; readonly timeoutMs?: number },
): PaymentGateway {
  return {
    async charge(charge, signal) {
      const body = JSON.stringify(bodyOf(charge));
      const message = { id: charge.idempotencyKey, now: clock.now(), body };
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...signatureHeaders(message, [secret]) },
          body,
          redirect: 'manual',
          signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
        });
        return outcomeOf(response.status, await boundedText(response));
      } catch {
        // Refused, reset, timed out, called off, cut off: in none of these is it known what has happened.
        return 'unknown';
      }
    },
  };
}

function bodyOf({ buyerId, ...charge }: Charge): object {
  return { ...charge, ...(buyerId !== null && { buyerId }) };
}

/** Undefined for one that is too large; the connection is then given up. */
async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function outcomeOf(status: number, text: string | undefined): ChargeOutcome {
  if (status !== 200 || text === undefined) return 'unknown';
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return 'unknown';
  }
  if (typeof answer !== 'object' || answer === null || !('outcome' in answer)) return 'unknown';
  return outcomes.has(answer.outcome) ? (answer.outcome as ChargeOutcome) : 'unknown';
}
