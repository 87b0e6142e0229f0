// The webhook of a run and the clock of its app, as last read.

import type { Environment } from '../../domain/identifiers.ts';
import { appNow, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { parseWebhookUrl, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { previousSecretEnd } from '../../domain/webhooks/webhook-signature.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Endpoint } from '../../store/webhooks/webhook-leases.ts';
import type { DeliveryTimes } from './attempt-records.ts';

/** A lease that this server has. */
export interface WebhookLease {
  readonly scope: { readonly environment: Environment; readonly packageName: string };
  readonly holder: string;
  readonly cursorOrder: number;
  /** Whether deliveries are due; otherwise there are new events. */
  readonly hasDue: boolean;
}

export interface EndpointReading {
  readonly readEndpoint: (packageName: string) => Promise<Endpoint | undefined>;
  /** undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly rules: WebhookRules;
  readonly clock: Clock;
}

export interface OpenEndpoint {
  /** undefined if the rules, which may have changed since the URL was set, forbid it. */
  readonly url: URL | undefined;
  /** The order of the last visible event. */
  readonly lastEventOrder: number;
  instants(): DeliveryTimes;
  secretsAt(realNow: number): [Buffer, ...Buffer[]];
}

/** Returns undefined if nothing may be sent: the webhook or its lease is gone, or the app is disabled or its clock is advancing. */
export async function readOpenEndpoint(
  { scope: { packageName }, holder }: WebhookLease,
  { readEndpoint, readSandboxState, rules, clock }: EndpointReading,
): Promise<OpenEndpoint | undefined> {
  const [endpoint, sandbox] = await Promise.all([readEndpoint(packageName), readSandboxState?.(packageName)]);
  if (endpoint?.leaseHolder !== holder || endpoint.isDisabled) return undefined;
  if (isAdvancing(sandbox?.clock, clock.now())) return undefined;
  const { secret, previousSecret, previousSecretUntil, lastEventOrder } = endpoint;
  const url = parseWebhookUrl(endpoint.url, rules);
  return {
    url: 'problem' in url ? undefined : url,
    lastEventOrder,
    instants() {
      const realNow = clock.now();
      return { realNow, now: appNow(sandbox?.clock, realNow) };
    },
    secretsAt(realNow) {
      const isRotating =
        previousSecret !== null && previousSecretEnd(previousSecretUntil, realNow) !== undefined;
      return isRotating ? [secret, previousSecret] : [secret];
    },
  };
}
