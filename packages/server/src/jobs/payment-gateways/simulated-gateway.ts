// The gateway of the sandbox: it approves, unless the app's faults say otherwise. It takes no money, and no
// real time, so that a clock can be moved over many charges at once.

import type { PaymentGateway } from './payment-gateway.ts';

/** What the app's faults make of its next charge; undefined: nothing. */
export type TakeChargeFault = (
  packageName: string,
) => Promise<'declined' | 'declined_final' | 'pending' | 'no_answer' | undefined>;

export function simulatedGateway(takeFault: TakeChargeFault): PaymentGateway {
  return {
    async charge({ packageName }) {
      try {
        const outcome = await takeFault(packageName);
        return outcome === 'no_answer' ? 'unknown' : (outcome ?? 'paid');
      } catch {
        // The faults could not be read: the charge is repeated when the database is back.
        return 'unknown';
      }
    },
  };
}
