// The rules of putFaults: which faults are valid, and which fault is injected into a call (docs/decisions/sandbox.md).

import { commonErrors, type ErrorName, errors, protocolErrors } from '@opentill/contract/errors.ts';
import type { NewFault } from '@opentill/contract/faults.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';

/** The part of a fault that decides whether it applies to a call. */
export interface FaultRule {
  readonly operation: string;
  readonly times: number | null;
  /** The number of calls that the fault was injected into. */
  readonly applied: number;
}

/** The faults for an operation in the order of the list, without those whose `times` are used up. */
export function faultsOf<Rule extends FaultRule>(faults: readonly Rule[], operation: string): Rule[] {
  return faults.filter((fault) => fault.operation === operation && hasTimesLeft(fault, fault.applied));
}

export function hasTimesLeft({ times }: Pick<FaultRule, 'times'>, appliedBefore: number): boolean {
  return times === null || appliedBefore < times;
}

/** The error of an operation with this code, if it has one. */
export function faultError(operation: string, code: number): ErrorName | undefined {
  const listed = purchaseOperations.find(({ operationId }) => operationId === operation)?.errors ?? [];
  const names: readonly ErrorName[] = [...listed, 'unauthorized', 'internalError'];
  return names.find((name) => errors[name].code === code);
}

/** The error with code 9999 whose message and headers accompany a status that a fault injects. */
export function statusError(httpStatus: number): ErrorName {
  const names = [...protocolErrors, ...commonErrors];
  return names.find((name) => errors[name].status === httpStatus) ?? 'internalError';
}

interface FaultProblem {
  readonly field: keyof NewFault;
  /** What was expected and what was received. */
  readonly message: string;
}

/** Problems with the combination of fields; single values were checked by the schema. */
export function faultProblems(fault: NewFault): FaultProblem[] {
  return fault.operation === 'charge' ? chargeProblems(fault) : callProblems(fault);
}

function chargeProblems(fault: NewFault): FaultProblem[] {
  const problems: FaultProblem[] = [];
  if (fault.outcome === undefined) {
    const message = 'expected declined, declinedFinal, pending or noAnswer, got none';
    problems.push({ field: 'outcome', message });
  }
  for (const field of ['code', 'httpStatus', 'delayMs', 'cut'] as const) {
    if (fault[field] === undefined) continue;
    problems.push({ field, message: 'not allowed for charge, which takes an outcome instead' });
  }
  return problems;
}

/** A fault has at most one of an error code, a status and a cut, with or without a delay, or only a delay. */
function callProblems(fault: NewFault): FaultProblem[] {
  const problems: FaultProblem[] = [];
  const { operation, code, delayMs } = fault;
  for (const field of ['outcome', 'firstPurchaseId'] as const) {
    if (fault[field] !== undefined) problems.push({ field, message: 'allowed for charge only' });
  }
  const responses = (['code', 'httpStatus', 'cut'] as const).filter((field) => fault[field] !== undefined);
  for (const field of responses.slice(1)) {
    problems.push({ field, message: `expected either this or ${responses[0]}, got both` });
  }
  if (responses.length === 0 && delayMs === undefined) {
    problems.push({
      field: 'code',
      message: 'expected at least one of code, httpStatus, delayMs and cut, got none',
    });
  }
  if (code !== undefined && faultError(operation, code) === undefined) {
    const expected = codesOf(operation).join(', ');
    problems.push({ field: 'code', message: `expected a code of ${operation} (${expected}), got ${code}` });
  }
  return problems;
}

function codesOf(operation: string): number[] {
  const codes = Object.values(errors).map(({ code }) => code);
  const ofOperation = codes.filter((code) => faultError(operation, code) !== undefined);
  return [...new Set(ofOperation)].sort((a, b) => a - b);
}
