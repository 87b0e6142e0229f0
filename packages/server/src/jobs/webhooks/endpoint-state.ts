// The webhook of a run and the clock of its app, as last read.

import { appNow, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { parseWebhookUrl } from '../../domain/webhooks/webhook-address.ts';
import { previousSecretEnd } from '../../domain/webhooks/webhook-signature.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Endpoint } from '../../store/webhooks/webhook-leases.ts';
import type { DeliveryTimes } from './attempt-records.ts';
import type { RunLease, RunSettings } from './run-parts.ts';

export class EndpointState {
  readonly #settings: Pick<RunSettings, 'store' | 'rules' | 'clock' | 'readSandboxState'>;
  readonly #lease: RunLease;
  #endpoint: Endpoint | undefined;
  #sandbox: SandboxState | undefined;
  #url: URL | undefined;

  constructor(settings: RunSettings, lease: RunLease) {
    this.#settings = settings;
    this.#lease = lease;
  }

  /** Returns false if the run must end: the webhook or its lease is gone, or the app is disabled or its clock is advancing. */
  async refresh(): Promise<boolean> {
    const { store, rules, clock, readSandboxState } = this.#settings;
    const { packageName } = this.#lease.scope;
    const [endpoint, sandbox] = await Promise.all([
      store.readEndpoint(packageName),
      readSandboxState?.(packageName),
    ]);
    if (endpoint === undefined || endpoint.leaseHolder !== this.#lease.holder) return false;
    this.#endpoint = endpoint;
    this.#sandbox = sandbox;
    const url = parseWebhookUrl(endpoint.url, rules);
    this.#url = 'problem' in url ? undefined : url;
    return !endpoint.isDisabled && !isAdvancing(sandbox?.clock, clock.now());
  }

  get instants(): DeliveryTimes {
    const realNow = this.#settings.clock.now();
    return { realNow, now: appNow(this.#sandbox?.clock, realNow) };
  }

  /** The order of the last visible event. */
  get lastEventOrder(): number {
    return this.#endpoint?.lastEventOrder ?? 0;
  }

  /** undefined if the rules, which may have changed since the URL was set, forbid it. */
  get url(): URL | undefined {
    return this.#url;
  }

  secretsAt(realNow: number): [Buffer, ...Buffer[]] {
    if (this.#endpoint === undefined)
      throw new Error('The secret of a webhook was used before the webhook was read.');
    const { secret, previousSecret, previousSecretUntil } = this.#endpoint;
    const isRotating =
      previousSecret !== null && previousSecretEnd(previousSecretUntil, realNow) !== undefined;
    return isRotating ? [secret, previousSecret] : [secret];
  }
}
