// What the renewals of a server are made of, by its environment: who charges, and what tells servers apart.

import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';
import type { Database } from '../../../store/connection/database.ts';
import { chargeFaultTaker, faultTaker } from '../../../store/sandbox/faults.ts';
import type { SandboxState } from '../../../store/sandbox/sandbox-state.ts';
import { type HttpGatewaySettings, httpGateway } from '../gateways/http-gateway.ts';
import { countedGateway, type PaymentGateway } from '../gateways/payment-gateway.ts';
import { simulatedGateway } from '../gateways/simulated-gateway.ts';
import type { RenewalParts } from './renewal-batch.ts';

const holderBytes = 9;

interface RenewalSettings extends Omit<RenewalParts, 'database' | 'gateway' | 'holder'> {
  readonly database: Database;
  /** For production; undefined: this server charges nobody. */
  readonly httpGateway: HttpGatewaySettings | undefined;
  /** For the sandbox only. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  readonly onCharged: (outcome: ChargeOutcome) => void;
}

/** Undefined for a server that has nobody to charge with. */
export function renewalParts(settings: RenewalSettings): RenewalParts | undefined {
  const { database, environment, randomness, clock, log, crashPoints } = settings;
  const gateway = gatewayOf(settings);
  if (gateway === undefined) return undefined;
  const holder = randomness.bytes(holderBytes).toString('base64url');
  const counted = countedGateway(gateway, settings.onCharged);
  return { database, gateway: counted, environment, randomness, clock, log, crashPoints, holder };
}

/** The sandbox never asks a gateway that takes money. */
function gatewayOf(settings: RenewalSettings): PaymentGateway | undefined {
  const { readSandboxState, database, clock } = settings;
  if (readSandboxState !== undefined) {
    return simulatedGateway(chargeFaultTaker(readSandboxState, faultTaker(database)));
  }
  return settings.httpGateway && httpGateway(settings.httpGateway, { clock });
}
