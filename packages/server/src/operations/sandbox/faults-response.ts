// Converts faults between the API and the store; the API adds drawn seeds and the number of calls affected.

import type { Faults, NewFault } from '@opentill/contract/faults.ts';
import type { FaultDraft } from '../../store/sandbox/faults.ts';
import type { FaultRow } from '../../store/sandbox/sandbox-state.ts';

export function faultsResponse(rows: readonly FaultRow[]): Faults {
  const faults = rows.map(({ operation, applied, position: _, putId: _put, met: _met, ...choice }) => {
    const given = Object.entries(choice).filter(([, value]) => value !== null);
    return { operation: operation as NewFault['operation'], ...Object.fromEntries(given), applied };
  });
  return { faults };
}

/** `drawSeed` is called for a probability without a seed. */
export function draftOf(fault: NewFault, drawSeed: () => number): FaultDraft {
  const { operation, code, httpStatus, delayMs, cut, outcome, firstPurchaseId, times, probability, seed } =
    fault;
  return {
    operation,
    code: code ?? null,
    httpStatus: httpStatus ?? null,
    delayMs: delayMs ?? null,
    cut: cut ?? null,
    outcome: outcome ?? null,
    firstPurchaseId: firstPurchaseId ?? null,
    times: times ?? null,
    probability: probability ?? null,
    seed: probability === undefined ? null : (seed ?? drawSeed()),
  };
}
