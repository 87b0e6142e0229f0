// The gateway of the sandbox: it approves each charge to which no fault of the app applies. It takes no money and no real
// time, so that a clock can be advanced over many charges at once.

import type { Charge, ChargeAnswer, PaymentGateway } from './payment-gateway.ts';

/** Returns the outcome that a fault gives a charge of a subscription; undefined if none applies. */
type MatchChargeFault = (
  charge: Pick<Charge, 'packageName' | 'firstPurchaseId'>,
) => Promise<'declined' | 'declinedFinal' | 'pending' | 'noAnswer' | undefined>;

export function simulatedGateway(matchFault: MatchChargeFault): PaymentGateway {
  /** By package name: the last charge of each app. */
  const turns = new Map<string, Promise<ChargeAnswer>>();
  const answer = async (charge: Charge): Promise<ChargeAnswer> => {
    try {
      const outcome = await matchFault(charge);
      if (outcome === 'noAnswer') return { outcome: 'unknown', reason: 'a fault of the app' };
      return { outcome: outcome ?? 'paid' };
    } catch {
      // The charge is retried when the database is available again.
      return { outcome: 'unknown', reason: 'the faults of the app could not be read' };
    }
  };
  return {
    // One charge of an app after another: what is due first gets the first fault.
    async charge(charge) {
      const { packageName } = charge;
      const turn = (turns.get(packageName) ?? Promise.resolve()).then(() => answer(charge));
      turns.set(packageName, turn);
      const answered = await turn;
      if (turns.get(packageName) === turn) turns.delete(packageName);
      return answered;
    },
  };
}
