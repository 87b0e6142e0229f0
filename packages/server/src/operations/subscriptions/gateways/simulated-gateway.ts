// The gateway of the sandbox: it approves each charge to which no fault of the app applies. It takes no money and no real
// time, so that a clock can be advanced over many charges at once.

import type { Charge, PaymentGateway } from './payment-gateway.ts';

/** Returns the outcome that a fault gives a charge of a subscription; undefined if none applies. */
type MatchChargeFault = (
  charge: Pick<Charge, 'packageName' | 'firstPurchaseId'>,
) => Promise<'declined' | 'declined_final' | 'pending' | 'no_answer' | undefined>;

export function simulatedGateway(matchFault: MatchChargeFault): PaymentGateway {
  return {
    async charge(charge) {
      try {
        const outcome = await matchFault(charge);
        if (outcome === 'no_answer') return { outcome: 'unknown', reason: 'a fault of the app' };
        return { outcome: outcome ?? 'paid' };
      } catch {
        // The charge is retried when the database is available again.
        return { outcome: 'unknown', reason: 'the faults of the app could not be read' };
      }
    },
  };
}
