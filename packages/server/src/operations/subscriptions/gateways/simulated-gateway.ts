// The gateway of the sandbox: it approves, unless the app's faults say otherwise. It takes no money, and no
// real time, so that a clock can be moved over many charges at once.

import type { PaymentGateway } from './payment-gateway.ts';

/** What the app's faults make of its next charge; undefined: nothing. */
type TakeChargeFault = (
  packageName: string,
) => Promise<'declined' | 'declined_final' | 'pending' | 'no_answer' | undefined>;

export function simulatedGateway(takeFault: TakeChargeFault): PaymentGateway {
  return {
    async charge({ packageName }) {
      try {
        const outcome = await takeFault(packageName);
        if (outcome === 'no_answer') return { outcome: 'unknown', reason: 'a fault of the app says so' };
        return { outcome: outcome ?? 'paid' };
      } catch {
        // The charge is repeated when the database is back.
        return { outcome: 'unknown', reason: 'the faults of the app could not be read' };
      }
    },
  };
}
