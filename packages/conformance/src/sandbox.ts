// Makes what checks look at in an OpenTill sandbox, by its sandbox API and the app's own token.

import { type SandboxOperation, sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { fieldsOf, isSuccess, shown } from './answer.ts';
import { type Calls, pathOf } from './calls.ts';
import { NotSettled } from './not-settled.ts';

const { advanceClock, getClock, putProduct, putToken, recordPurchase, voidPurchase } = sandboxApi;

interface NewPurchase {
  readonly productId: string;
  readonly type: 'one_time' | 'subscription';
  readonly purchaseTime?: number;
  readonly developerPayload?: string;
}

/** Each call throws NotSettled when the sandbox refuses it. */
export interface Sandbox {
  /** The time of the app, ms. */
  now(): Promise<number>;
  /** Records a purchase of a product, which is made for it; gives the purchase id. */
  record(purchase: NewPurchase): Promise<string>;
  void(purchaseId: string): Promise<void>;
  /** Moves the time of the app on by an ISO 8601 duration, with all that falls due until then. */
  advance(by: string): Promise<void>;
  /** Lets the app's newest token end after so many seconds. */
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
    if (!isSuccess(answer)) throw new NotSettled(`The sandbox refused. ${shown(answer)}`);
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
