// The gateway of the sandbox: it approves, unless the app's faults say otherwise. It takes no money, and no
// real time, so that a clock can be moved over many charges at once.

import type { Charge, PaymentGateway } from './payment-gateway.ts';

/** What a fault on `charge` makes of one; undefined: none applies. */
export type FindChargeFault = (
  charge: Charge,
) => Promise<'declined' | 'declined_final' | 'pending' | 'no_answer' | undefined>;

export function simulatedGateway(findFault: FindChargeFault): PaymentGateway {
  return {
    async charge(charge) {
      const outcome = await findFault(charge);
      return outcome === 'no_answer' ? 'unknown' : (outcome ?? 'paid');
    },
  };
}
