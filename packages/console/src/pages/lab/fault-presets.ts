// Faults that are worth testing, and faults in words.

import type { Faults, NewFault } from '@opentill/client/operator';
import { secondMs } from '../../runtime/durations.ts';

export const faultPresets: Readonly<Record<string, NewFault>> = {
  'Consume: the response is lost once': { operation: 'consumePurchase', cut: 'after', times: 1 },
  'Consume: two records once (9202)': { operation: 'consumePurchase', code: 9202, times: 1 },
  'Read: 503 twice': { operation: 'getPurchaseDetails', httpStatus: 503, times: 2 },
  'Read: 401 once': { operation: 'getPurchaseDetails', code: 401, times: 1 },
  'Token: 5 seconds late': { operation: 'getAccessToken', delayMs: 5_000 },
  'Charge: declined twice': { operation: 'charge', outcome: 'declined', times: 2 },
  'Charge: declined for good': { operation: 'charge', outcome: 'declined_final', times: 1 },
  'Charge: pending once': { operation: 'charge', outcome: 'pending', times: 1 },
  'Charge: no answer once': { operation: 'charge', outcome: 'no_answer', times: 1 },
};

export type Fault = Faults['faults'][number];

/** What the fault does to a call. */
export function effectText({ code, httpStatus, delayMs, cut, outcome }: NewFault): string {
  const effects = [
    code !== undefined && `error ${code}`,
    httpStatus !== undefined && `HTTP ${httpStatus}`,
    cut === 'before' && 'the connection closes before the operation',
    cut === 'after' && 'the operation runs, and its response is lost',
    outcome?.replaceAll('_', ' '),
    delayMs !== undefined && `${delayMs / secondMs} s late`,
  ];
  return effects.filter((effect) => typeof effect === 'string').join(', ');
}

/** The fault as putFaults takes it. */
export function newFaultOf({ applied: _applied, ...fault }: Fault): NewFault {
  return fault;
}
