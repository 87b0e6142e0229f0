// What one run knows of its webhook and of the time of its app, as it was a moment ago.

import { appNow, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { parseWebhookUrl } from '../../domain/webhooks/webhook-address.ts';
import { rotatesUntil } from '../../domain/webhooks/webhook-signature.ts';
import type { SandboxState } from '../../store/sandbox/sandbox-state.ts';
import type { Endpoint } from '../../store/webhooks/webhook-leases.ts';
import type { Instants } from './attempt-records.ts';
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

  /** False when nothing more is to be sent: it is gone or somebody else's, or its app is disabled or advanced. */
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

  get instants(): Instants {
    const realNow = this.#settings.clock.now();
    return { realNow, now: appNow(this.#sandbox?.clock, realNow) };
  }

  /** Of the last event that can be seen. */
  get lastEventOrder(): number {
    return this.#endpoint?.lastEventOrder ?? 0;
  }

  /** Undefined when it must not be called: the rules may have changed since it was put. */
  get url(): URL | undefined {
    return this.#url;
  }

  secretsAt(realNow: number): [Buffer, ...Buffer[]] {
    if (this.#endpoint === undefined)
      throw new Error('A webhook was asked for its secret before it was read.');
    const { secret, previousSecret, previousSecretUntil } = this.#endpoint;
    const isRotating = previousSecret !== null && rotatesUntil(previousSecretUntil, realNow) !== undefined;
    return isRotating ? [secret, previousSecret] : [secret];
  }
}
