// Notices requests that come through a proxy although none is configured: other machines can reach a listener on
// loopback then (docs/decisions/webhooks.md).

import type { FastifyInstance } from 'fastify';
import type { WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import type { Log } from '../../runtime/log.ts';

const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
];

/** Calls `onFound` for each such request. */
export function detectProxies(server: FastifyInstance, onFound: () => void): void {
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    if (forwardingHeaders.some((name) => headers[name] !== undefined)) onFound();
    done();
  });
}

/** The webhook rules of this process, which reject loopback from the first request through an undeclared proxy on. */
export function webhookRulesOf(configured: WebhookRules, log: Log) {
  const webhookRules: { -readonly [Rule in keyof WebhookRules]: WebhookRules[Rule] } = { ...configured };
  let isLogged = false;
  const onUndeclaredProxy = (): void => {
    if (isLogged) return;
    isLogged = true;
    webhookRules.allowsLoopback = false;
    log.warn(
      'a request came through a proxy, but OPENTILL_BEHIND_TLS_PROXY is false: webhooks to loopback are rejected until a restart',
    );
  };
  return { webhookRules, onUndeclaredProxy };
}
