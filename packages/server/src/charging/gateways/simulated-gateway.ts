// The gateway of the sandbox: it approves each charge to which no fault of the app applies. It takes no money and no real
// time, so that a clock can be advanced over many charges at once.

import type { ChargeAnswer, ChargeRequest, PaymentGateway } from './payment-gateway.ts';

/** Returns the outcome that a fault gives a charge of a subscription; undefined if none applies. */
type MatchChargeFault = (
  request: Pick<ChargeRequest, 'packageName' | 'firstPurchaseId'>,
) => Promise<'declined' | 'declinedFinal' | 'pending' | 'noAnswer' | undefined>;

export function simulatedGateway(matchFault: MatchChargeFault): PaymentGateway {
  /** By package name: the last charge of each app. */
  const turns = new Map<string, Promise<ChargeAnswer>>();
  const answer = async (request: ChargeRequest): Promise<ChargeAnswer> => {
    try {
      const outcome = await matchFault(request);
      if (outcome === 'noAnswer') return { outcome: 'unknown', reason: 'a fault of the app' };
      return { outcome: outcome ?? 'paid' };
    } catch {
      // The charge is retried when the database is available again.
      return { outcome: 'unknown', reason: 'the faults of the app could not be read' };
    }
  };
  return {
    // One charge of an app after another: what is due first gets the first fault.
    async charge(request) {
      const { packageName } = request;
      const turn = (turns.get(packageName) ?? Promise.resolve()).then(() => answer(request));
      turns.set(packageName, turn);
      const answered = await turn;
      if (turns.get(packageName) === turn) turns.delete(packageName);
      return answered;
    },
  };
}
