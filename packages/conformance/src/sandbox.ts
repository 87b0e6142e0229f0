// Creates the test data of checks in an OpenTill sandbox, with the token of the app.

import { type SandboxOperation, sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { fieldsOf, isSuccess, responseText } from './answer.ts';
import { type Calls, pathOf } from './calls.ts';
import { NotSettled } from './not-settled.ts';

const { advanceClock, getClock, putProduct, putToken, recordPurchase, voidPurchase } = sandboxApi;

interface NewPurchase {
  readonly productId: string;
  readonly type: 'one_time' | 'subscription';
  readonly purchaseTime?: number;
  readonly developerPayload?: string;
}

/** Each method throws NotSettled if the sandbox rejects the call. */
export interface Sandbox {
  /** Returns the time of the app in ms. */
  now(): Promise<number>;
  /** Creates the product, records a purchase of it and returns the purchaseId. */
  record(purchase: NewPurchase): Promise<string>;
  void(purchaseId: string): Promise<void>;
  /** Advances the clock of the app by an ISO 8601 duration. */
  advance(by: string): Promise<void>;
  /** Sets the remaining lifetime of the newest token in seconds. */
  shortenToken(expiresIn: number): Promise<void>;
}

const price = 100;
const currency = 'EUR';

export function openSandbox(calls: Calls): Sandbox {
  const run = async (
    operation: SandboxOperation,
    { path = {}, body }: { path?: Record<string, string>; body?: unknown } = {},
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await calls.send({
      method: operation.method,
      path: pathOf(operation, path),
      headers: {
        authorization: `Bearer ${calls.newestToken()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!isSuccess(answer)) throw new NotSettled(`The sandbox rejected a call. ${responseText(answer)}`);
    return fieldsOf(answer);
  };
  return {
    now: async () => Number((await run(getClock))['now']),
    record: async ({ type, ...purchase }) => {
      const { productId } = purchase;
      await run(putProduct, { path: { productId }, body: { type, price, currency } });
      const recorded = await run(recordPurchase, { body: purchase });
      return String(recorded['purchaseId']);
    },
    void: async (purchaseId) => {
      await run(voidPurchase, { path: { purchaseId } });
    },
    advance: async (by) => {
      await run(advanceClock, { body: { by } });
    },
    shortenToken: async (expiresIn) => {
      await run(putToken, { body: { expiresIn } });
    },
  };
}
