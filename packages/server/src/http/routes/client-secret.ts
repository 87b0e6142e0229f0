// The client secret that some calls of the developer API need in production, in addition to the token
// (docs/decisions/access.md).

import { clientSecretHeader } from '@opentill/contract/developer-api.ts';
import type { onRequestAsyncHookHandler, preHandlerAsyncHookHandler } from 'fastify';
import { minuteMs } from '../../domain/time.ts';
import { oldSecretDetail } from '../../operations/secret-rotation.ts';
import type { TokenIssuer } from '../../operations/tokens/getAccessToken.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { sendError } from '../error-response.ts';

export interface SecretCalls {
  readonly tokens: TokenIssuer;
  readonly clock: StoreClock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Wrong secrets of an app in a minute, counted by each server; a person who confuses two secrets tries fewer. */
const wrongSecretsMax = 10;

/** Rates the secret before the rate limit of the app, which must not reject the newest one. */
export function rateClientSecret(tokens: TokenIssuer): onRequestAsyncHookHandler {
  return async (request) => {
    const secret = request.headers[clientSecretHeader];
    if (typeof secret !== 'string' || secret === '') return;
    const rating = await tokens.rateClientSecret(request.call.packageName ?? '', secret);
    request.call.clientSecret = { secret, rating };
  };
}

/**
 * Sends 403 for a missing, previous or wrong secret, and 429 for wrong ones over the limit. The newest one is never rejected: a
 * caller with a leaked token could otherwise keep the owner of the app from expelling it.
 */
export function requireClientSecret({
  clock,
  log,
  metrics,
}: Omit<SecretCalls, 'tokens'>): preHandlerAsyncHookHandler {
  const windows = new FixedWindows(minuteMs);
  return async (request, reply) => {
    const { packageName, operationId, clientAddress: address, clientSecret } = request.call;
    const refuse = (got: string) => {
      const detail = `${clientSecretHeader}: expected the client secret of the app, got ${got}.`;
      return sendError(reply, 'developer', 'forbidden', { detail });
    };
    if (clientSecret === undefined) return refuse('none');
    if (clientSecret.rating === 'newest') return undefined;
    if (clientSecret.rating === 'previous')
      return sendError(reply, 'developer', 'forbidden', { detail: oldSecretDetail });
    const app = packageName ?? '';
    metrics.countWrongClientSecret();
    const { count, restMs } = windows.count(app, clock.now());
    if (count <= wrongSecretsMax) {
      log.warn({ requestId: request.id, operationId, app, address }, 'wrong client secret');
      return refuse('another one');
    }
    const detail = `${clientSecretHeader}: expected at most ${wrongSecretsMax} wrong secrets per minute, got ${count}.`;
    const retryAfterSeconds = Math.ceil(restMs / 1_000);
    return sendError(reply, 'developer', 'tooManyRequests', { detail, retryAfterSeconds });
  };
}
