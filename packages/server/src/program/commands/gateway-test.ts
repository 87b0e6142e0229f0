// Rehearses the payment gateway of the settings: sends requests that charge nobody, and checks its responses against
// docs/payment-gateway.md.

import { chargeTimeoutMs, httpGateway } from '../../charging/gateways/http-gateway.ts';
import type { ChargeAnswer, ChargeRequest } from '../../charging/gateways/payment-gateway.ts';
import type { Environ } from '../../config/config.ts';
import { requirePaymentGateway } from '../../config/secret-settings.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { type CheckResult, failed, ok } from '../../runtime/start-problem.ts';

const keyBytes = 12;
const secretBytes = 32;

interface Machine {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** @throws StartProblem unless the settings name a gateway and its secret. */
export function gatewayUrl(env: Environ): string {
  return requirePaymentGateway(env).url;
}

/** Yields each result as soon as it is known, and stops where the next request would be pointless. */
export async function* testGateway(
  env: Environ,
  { clock, randomness }: Machine,
): AsyncGenerator<CheckResult> {
  const { url, secret } = requirePaymentGateway(env);
  const request = rehearsed(randomness.bytes(keyBytes).toString('base64url'), clock.now());
  const send = (key: Buffer) => httpGateway({ url, secret: key }, { clock }).charge(request);

  const unsigned = await send(randomness.bytes(secretBytes));
  if (unsigned.outcome !== 'unknown') {
    yield failed('signature', `a wrong signature was accepted, with the outcome ${unsigned.outcome}`);
    return;
  }
  if (unsigned.status === undefined) {
    yield failed('signature', `no response to a wrong signature: ${unsigned.reason}`);
    return;
  }
  yield ok('signature', `a wrong signature got the status ${unsigned.status}`);

  const begun = performance.now();
  const first = await send(secret);
  const tookMs = Math.round(performance.now() - begun);
  yield outcomeOf(first);
  if (!isClear(first)) return;
  yield ok('time to respond', `${tookMs} ms of at most ${chargeTimeoutMs}`);

  const second = await send(secret);
  const name = 'key repeated';
  yield second.outcome === first.outcome
    ? ok(name, 'the same outcome')
    : failed(name, `expected the outcome ${first.outcome}, got ${describe(second)}`);
}

/** No key of a charge starts with `test/`, because an installation has another name. */
function rehearsed(id: string, now: number): ChargeRequest {
  return {
    ...{ idempotencyKey: `test/${id}`, packageName: 'test', productId: 'test', firstPurchaseId: 'test' },
    ...{ period: 'P1M', periodIndex: 1, attempt: 1, startTime: now, price: 0, currency: 'EUR' },
    ...{ developerPayload: '', buyerId: null, test: true },
  };
}

const isClear = ({ outcome }: ChargeAnswer): boolean => outcome !== 'unknown' && outcome !== 'pending';

function describe(answer: ChargeAnswer): string {
  return answer.outcome === 'unknown' ? `no clear one: ${answer.reason}` : answer.outcome;
}

function outcomeOf(answer: ChargeAnswer): CheckResult {
  const name = 'outcome';
  if (isClear(answer)) return ok(name, answer.outcome);
  if (answer.outcome === 'unknown') return failed(name, answer.reason);
  return failed(name, `expected paid, declined or declinedFinal, got ${answer.outcome}`);
}
