// What all renewals of a server use: its gateway and the holder of its leases, among others.

import type { Environment } from '../domain/identifiers.ts';
import type { ChargeRetries } from '../domain/subscriptions/charge-times.ts';
import type { ChargeOutcome } from '../domain/subscriptions/renewal.ts';
import type { RenewalTesting } from '../runtime/crash-points.ts';
import type { Log } from '../runtime/log.ts';
import { leaseHolder, type Randomness } from '../runtime/randomness.ts';
import type { StoreClock } from '../store/clocks/store-clock.ts';
import type { Database, JobDatabase } from '../store/connection/database.ts';
import { chargeFaultMatcher, faultMatcher } from '../store/sandbox/faults.ts';
import type { SandboxState } from '../store/sandbox/sandbox-state.ts';
import { type HttpGatewaySettings, httpGateway } from './gateways/http-gateway.ts';
import { countedGateway, type PaymentGateway } from './gateways/payment-gateway.ts';
import { simulatedGateway } from './gateways/simulated-gateway.ts';

export interface RenewalOptions {
  readonly database: JobDatabase;
  readonly gateway: PaymentGateway;
  readonly environment: Environment;
  /** Part of each idempotency key, so that stores with the same gateway never share one. */
  readonly installationId: Buffer;
  readonly retries: ChargeRetries;
  readonly randomness: Randomness;
  readonly clock: StoreClock;
  readonly log: Log;
  /** Counts a charge whose money has to go back. */
  readonly onRefundDue: () => void;
  /** Identifies this server as the holder of a lease. */
  readonly holder: string;
  readonly testing?: RenewalTesting | undefined;
}

/** What writing the answer to a charge needs, also on a server without a gateway. */
export type SettlingOptions = Omit<RenewalOptions, 'gateway'>;

export function settlingOptions(options: Omit<SettlingOptions, 'holder'>): SettlingOptions {
  return { ...options, holder: leaseHolder(options.randomness) };
}

interface GatewaySettings {
  readonly database: Database;
  /** For production; undefined if this server has no gateway. */
  readonly httpGateway: HttpGatewaySettings | undefined;
  /** For the sandbox only. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onCharged: (outcome: ChargeOutcome) => void;
}

/** Undefined for a server without a gateway. */
export function renewalOptions(
  settling: SettlingOptions,
  settings: GatewaySettings,
): RenewalOptions | undefined {
  const gateway = gatewayOf(settling, settings);
  return gateway && { ...settling, gateway: countedGateway(gateway, settings.onCharged) };
}

/** The sandbox never calls a gateway that takes money. */
function gatewayOf({ clock }: SettlingOptions, settings: GatewaySettings): PaymentGateway | undefined {
  const { database, readSandboxState } = settings;
  if (readSandboxState !== undefined) {
    return simulatedGateway(chargeFaultMatcher(readSandboxState, faultMatcher(database)));
  }
  return settings.httpGateway && httpGateway(settings.httpGateway, { clock });
}
