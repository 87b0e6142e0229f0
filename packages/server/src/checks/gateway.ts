// Checks that the payment gateway responds to a HEAD request, which charges nothing. A start does not require it, because
// reads and consumes work without the gateway.

import type { Config } from '../config/config.ts';
import { type CheckResult, failed, ok, skipped, warning } from '../runtime/check-result.ts';
import { askStatus } from './answer-status.ts';

const answerWithinMs = 5_000;

export async function checkGateway({ environment, paymentGateway }: Config): Promise<CheckResult> {
  const name = 'payment gateway';
  if (environment === 'sandbox') return skipped(name, 'not used in the sandbox');
  if (paymentGateway === undefined) return warning(name, 'none: subscription products are rejected');
  const { origin } = new URL(paymentGateway.url);
  try {
    const status = await askStatus(paymentGateway.url, {
      method: 'HEAD',
      withinMs: answerWithinMs,
      verifiesCertificate: true,
    });
    return ok(name, `${origin} responds (${status} to HEAD)`);
  } catch (error) {
    return failed(name, `${origin} does not respond: ${(error as Error).message}`);
  }
}
