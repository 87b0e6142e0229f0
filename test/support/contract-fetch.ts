// A fetch for the clients in tests: it makes real calls and checks each response against the contract.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { noteCall } from './failure-notes.ts';
import type { HttpResponse } from './harness.ts';
import { expectAsListed as expectOperation } from './http/checked-call.ts';
import { expectAsListed as expectPurchaseOperation } from './http/purchase-call.ts';

interface Listed {
  readonly line: RegExp;
  readonly expectAsListed: (response: HttpResponse) => void;
}

function listed<Operation extends { readonly method: string; readonly path: string }>(
  operations: readonly Operation[],
  expectAsListed: (operation: Operation, response: HttpResponse) => void,
): Listed[] {
  return operations.map((operation) => ({
    line: new RegExp(`^${operation.method} ${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`),
    expectAsListed: (response) => expectAsListed(operation, response),
  }));
}

const all = [
  ...listed<PurchaseOperation>([...purchaseOperations, ...eventsOperations], expectPurchaseOperation),
  ...listed<OperatorOperation>(operatorOperations, expectOperation),
  ...listed<DeveloperOperation>(developerOperations.sandbox, expectOperation),
];

/** A call that is not in the contract fails, and a response that violates the contract fails the whole run. */
export async function contractFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const text = await response.text();
  const line = `${init.method} ${new URL(url).pathname}`;
  const operation = all.find((candidate) => candidate.line.test(line));
  if (operation === undefined) throw new Error(`The contract has no ${line}.`);
  const body = text === '' ? undefined : JSON.parse(text);
  const { status, headers } = response;
  noteCall({ method: init.method, url, body: init.body }, { status, text });
  try {
    operation.expectAsListed({ status, headers, text, body });
  } catch (error) {
    // A client treats an error of fetch as a network error and may retry; an unhandled rejection fails the run.
    queueMicrotask(() => {
      throw error;
    });
  }
  return new Response(status === 204 ? null : text, { status, headers });
}
