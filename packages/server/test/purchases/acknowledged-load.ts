// Records, consumes, voids and reads purchases without a pause, and tracks which changes the server has acknowledged.

import { expect } from 'vitest';
import { call, type TestApp } from '../../../../test/support/harness.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { PipelinedConnection, type RawCall, type RawResponse } from '../http/pipelined-client.ts';

/** Concurrent callers, each on its own connections. */
const callersCount = 8;

/** The changes that a caller makes to a purchase after recording it, in rotation. */
const plans = [['consume'], ['void'], ['consume', 'void'], []] as const;

const readsAtOnce = 50;

/** As Retry-After requires: on a small machine, continuous calls would keep PostgreSQL from recovering. */
async function comeAgainLater({ operatorUrl }: ServerAddress, isOver: () => boolean): Promise<void> {
  const isReady = () =>
    call(`${operatorUrl}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitFor(async () => isOver() || (await isReady()), { what: 'a server that is ready again' });
}

/** The acknowledged changes of one purchase; a change that was not acknowledged may exist or not. */
interface Acknowledged {
  consumed: boolean;
  voided: boolean;
}

export class AcknowledgedLoad {
  readonly #app: TestApp;
  readonly #operatorKey: string;
  readonly #idPrefix: string;
  readonly #purchases = new Map<string, Acknowledged>();
  #drawn = 0;
  acknowledgedCalls = 0;
  #unavailableCalls = 0;

  /** `idPrefix` distinguishes the purchases of several loads on one app. */
  constructor(app: TestApp, operatorKey: string, idPrefix = 'P-') {
    this.#idPrefix = idPrefix;
    this.#app = app;
    this.#operatorKey = operatorKey;
  }

  /** Calls until `isOver`, or until the server closes the connection; any response except success and 503 fails. */
  async run(address: ServerAddress, isOver: () => boolean): Promise<void> {
    await Promise.all(Array.from({ length: callersCount }, () => this.#callWhile(address, isOver)));
  }

  async #callWhile(address: ServerAddress, isOver: () => boolean): Promise<void> {
    using operator = new PipelinedConnection(address.operatorUrl);
    using developer = new PipelinedConnection(address.publicUrl);
    try {
      while (!isOver()) {
        const unavailableBefore = this.#unavailableCalls;
        await this.#liveOfOnePurchase(operator, developer);
        if (this.#unavailableCalls > unavailableBefore) await comeAgainLater(address, isOver);
      }
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('the connection closed'))) throw error;
    }
  }

  async #liveOfOnePurchase(operator: PipelinedConnection, developer: PipelinedConnection): Promise<void> {
    this.#drawn += 1;
    const plan = plans[this.#drawn % plans.length] ?? [];
    const purchaseId = `${this.#idPrefix}${this.#drawn}`;
    const record = this.#operatorCall('', JSON.stringify({ productId: 'coins', purchaseId }));
    if ((await this.#send(operator, record)).status !== 201) return;
    const acknowledged = { consumed: false, voided: false };
    this.#purchases.set(purchaseId, acknowledged);
    const read = async () => {
      const response = await this.#send(developer, this.#purchaseCall('GET', 'details', purchaseId));
      if (response.status !== 503) expectShown(response, purchaseId, acknowledged);
    };
    await read();
    for (const step of plan) {
      if (step === 'consume') {
        const { status } = await this.#send(developer, this.#purchaseCall('POST', 'consume', purchaseId));
        acknowledged.consumed = status === 200;
      } else {
        const { status } = await this.#send(operator, this.#operatorCall(`/${purchaseId}/void`));
        acknowledged.voided = status === 200;
      }
      await read();
    }
  }

  async #send(connection: PipelinedConnection, call: RawCall): Promise<RawResponse> {
    const [response] = await connection.send([call]);
    const { status, body } = response as RawResponse;
    if (status === 503) {
      this.#unavailableCalls += 1;
      JSON.parse(body);
    } else {
      expect(status, body).toBeLessThan(300);
      this.acknowledgedCalls += 1;
    }
    return response as RawResponse;
  }

  /** Checks that every acknowledged change exists. */
  async expectAllThere(address: ServerAddress): Promise<void> {
    const all = [...this.#purchases];
    using developer = new PipelinedConnection(address.publicUrl);
    for (let from = 0; from < all.length; from += readsAtOnce) {
      const some = all.slice(from, from + readsAtOnce);
      const reads = some.map(([id]) => this.#purchaseCall('GET', 'details', id));
      const responses = await waitFor(
        async () => {
          const came = await developer.send(reads);
          return came.every(({ status }) => status !== 503) && came;
        },
        { what: 'reads that no overload refuses' },
      );
      responses.forEach((response, index) => {
        expectShown(response, ...(some[index] ?? expect.fail()));
      });
    }
  }

  #operatorCall(path: string, body?: string): RawCall {
    return {
      method: 'POST',
      path: `/operator/v1/apps/${this.#app.packageName}/purchases${path}`,
      headers: {
        authorization: `Bearer ${this.#operatorKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    };
  }

  #purchaseCall(method: string, operation: string, purchaseId: string): RawCall {
    return {
      method,
      path: `/v2/purchase/${operation}/${purchaseId}/${this.#app.packageName}`,
      headers: { authorization: `Bearer ${this.#app.token}`, 'content-type': 'application/json' },
    };
  }
}

/** Checks the details of a purchase. */
function expectShown(
  { status, body }: RawResponse,
  purchaseId: string,
  { consumed, voided }: Acknowledged,
): void {
  expect(status, `${purchaseId}: ${body}`).toBe(200);
  const { consumptionState, purchaseState } = JSON.parse(body);
  if (consumed) expect(consumptionState, `${purchaseId} was consumed`).toBe(1);
  if (voided) expect(purchaseState, `${purchaseId} was voided`).toBe(1);
}
