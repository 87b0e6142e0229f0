// The payment gateway: whether something answers there. Nothing is charged: the question is a HEAD.

import type { Config } from '../../config.ts';
import { askStatus } from './answer-status.ts';
import { type CheckResult, failed, ok, skipped, warning } from './check-result.ts';

const answerWithinMs = 5_000;

export async function checkGateway({ environment, paymentGateway }: Config): Promise<CheckResult> {
  const name = 'payment gateway';
  if (environment === 'sandbox') return skipped(name, 'the sandbox takes no money');
  if (paymentGateway === undefined) return warning(name, 'none: no subscriptions are sold');
  const { origin } = new URL(paymentGateway.url);
  try {
    const status = await askStatus(paymentGateway.url, {
      method: 'HEAD',
      withinMs: answerWithinMs,
      verifiesCertificate: true,
    });
    return ok(name, `${origin} answers (${status} to HEAD)`);
  } catch (error) {
    return failed(name, `${origin} does not answer: ${(error as Error).message}`);
  }
}
