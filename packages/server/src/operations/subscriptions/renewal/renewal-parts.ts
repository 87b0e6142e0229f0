// What all renewals of a server share: the gateway of its environment, and the holder of its leases.

import type { Environment } from '../../../domain/identifiers.ts';
import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { CrashPoints } from '../../../runtime/crash-points.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Randomness } from '../../../runtime/randomness.ts';
import type { ClockGuard } from '../../../store/clocks/clock-guard.ts';
import type { Database } from '../../../store/connection/database.ts';
import { chargeFaultMatcher, faultMatcher } from '../../../store/sandbox/faults.ts';
import type { SandboxState } from '../../../store/sandbox/sandbox-state.ts';
import { type HttpGatewaySettings, httpGateway } from '../gateways/http-gateway.ts';
import { countedGateway, type PaymentGateway } from '../gateways/payment-gateway.ts';
import { simulatedGateway } from '../gateways/simulated-gateway.ts';

export interface RenewalParts {
  readonly database: Database;
  readonly gateway: PaymentGateway;
  readonly environment: Environment;
  /** How long after its due time a charge may begin. */
  readonly graceMs: number;
  readonly randomness: Randomness;
  /** Real time, which leases are counted in. */
  readonly clock: Clock;
  /** Holds renewals while a clock may be wrong. */
  readonly clocks: ClockGuard;
  readonly log: Log;
  readonly crashPoints: CrashPoints;
  /** Identifies this server as the holder of a lease. */
  readonly holder: string;
}

/** What writing the answer to a charge needs. */
export type SettlingParts = Pick<
  RenewalParts,
  'environment' | 'randomness' | 'clock' | 'log' | 'crashPoints' | 'holder'
>;

/** The author of renewals, also of those that happen while a clock is advanced. */
export const renewalAuthor = 'job:renewals';

const holderBytes = 9;

interface RenewalSettings extends Omit<RenewalParts, 'gateway' | 'holder'> {
  /** For production; undefined if this server has no gateway. */
  readonly httpGateway: HttpGatewaySettings | undefined;
  /** For the sandbox only. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onCharged: (outcome: ChargeOutcome) => void;
}

/** Undefined for a server without a gateway. */
export function renewalParts(settings: RenewalSettings): RenewalParts | undefined {
  const gateway = gatewayOf(settings);
  if (gateway === undefined) return undefined;
  const holder = settings.randomness.bytes(holderBytes).toString('base64url');
  const counted = countedGateway(gateway, settings.onCharged);
  return { ...settings, gateway: counted, holder };
}

/** The sandbox never calls a gateway that takes money. */
function gatewayOf(settings: RenewalSettings): PaymentGateway | undefined {
  const { readSandboxState, database, clock } = settings;
  if (readSandboxState !== undefined) {
    return simulatedGateway(chargeFaultMatcher(readSandboxState, faultMatcher(database)));
  }
  return settings.httpGateway && httpGateway(settings.httpGateway, { clock });
}
