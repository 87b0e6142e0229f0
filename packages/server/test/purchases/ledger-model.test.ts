// Random histories of purchases, compared with a model of the rules.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  operate,
  requestToken,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { problemsElsewhere } from '../../../../test/support/transfer/transfer.ts';
import { auditLedger } from './ledger-audit.ts';
import { expected, LedgerModel, type Recording } from './ledger-model.ts';
import { history, type Step } from './ledger-steps.ts';

/** npm run test:chaos plays more. */
const histories = Number(process.env['LEDGER_HISTORIES'] ?? 8);
const monthMs = 31 * 86_400_000;

let appsMade = 0;
let stepsDone = 0;

const server = await useTestServer();
/** Where exports are checked. */
const copy = await useForFile(freshDatabase());

afterAll(async () => {
  process.stdout.write(`model: ${appsMade} histories, ${stepsDone} steps\n`);
});

/** One run: a new app on the server, and its model. */
class Run {
  readonly model = new LedgerModel();
  readonly app: TestApp;
  /** The latest instant: a clock that was set back later is set right by the time of an import. */
  #latest = testNow;

  constructor(app: TestApp) {
    this.app = app;
  }

  #purchaseApi(method: string, path: string) {
    return callPurchaseApi(server, { token: this.app.token, method, path });
  }

  #operatorApi(method: string, path: string, body?: unknown) {
    return operate(
      server,
      method,
      `/apps/${this.app.packageName}${path}`,
      body === undefined ? {} : { body },
    );
  }

  async take(step: Step): Promise<void> {
    const now = server.clock.now();
    switch (step.do) {
      case 'record':
        return this.#record(step, now);
      case 'consume':
        return this.#consume(`p-${step.purchase}`);
      case 'void':
        return this.#void(`p-${step.purchase}`, step.reason, now);
      case 'cancel':
      case 'reactivate':
        return this.#changeAutoPayment(step, now);
      case 'read':
        return this.#read(`p-${step.purchase}`);
      case 'list':
        return this.#list(step, now);
      case 'pass':
        return this.#pass(step.ms);
    }
  }

  async #record(step: Step & { do: 'record' }, now: number): Promise<void> {
    const { productId, purchase, order, at, developerPayload, price } = step;
    const sent: Recording = {
      productId,
      purchaseId: `p-${purchase}`,
      ...(order !== undefined && { orderId: `o-${order}` }),
      ...(at !== undefined && { purchaseTime: now + at }),
      ...(developerPayload !== undefined && { developerPayload }),
      ...(price !== undefined && { price }),
    };
    const { status, text } = await this.#operatorApi('POST', '/purchases', sent);
    expect(status, text).toBe(this.model.record(sent, now));
  }

  async #consume(purchaseId: string): Promise<void> {
    const { body } = await this.#purchaseApi('POST', `/consume/${purchaseId}/${this.app.packageName}`);
    expect(body.error?.code ?? body.consumptionState).toBe(this.model.consume(purchaseId));
  }

  async #void(purchaseId: string, reason: 'customer' | 'system', now: number): Promise<void> {
    const { status } = await this.#operatorApi('POST', `/purchases/${purchaseId}/void`, { reason });
    expect(status).toBe(this.model.void(purchaseId, reason === 'customer' ? '0' : '1', now));
  }

  async #changeAutoPayment(step: Step & { do: 'cancel' | 'reactivate' }, now: number): Promise<void> {
    const purchaseId = `p-${step.purchase}`;
    const reason = step.by === 'developer' ? '1' : '0';
    const outcome =
      step.do === 'cancel'
        ? this.model.cancel(purchaseId, reason, now)
        : this.model.reactivate(purchaseId, now);
    if (step.by === 'developer') {
      const path = `/manage-payment-status/${purchaseId}/${this.app.packageName}/${step.do}`;
      const { status, body } = await this.#purchaseApi('POST', path);
      expect(status === 200 ? body.responseCode : status).toBe(outcome);
    } else {
      const body = step.do === 'cancel' ? { reason: 'customer' } : undefined;
      const { status } = await this.#operatorApi('POST', `/subscriptions/${purchaseId}/${step.do}`, body);
      expect(status).toBe({ 0: 200, 1: 409, 404: 404 }[outcome]);
    }
  }

  async #read(purchaseId: string): Promise<void> {
    const { packageName } = this.app;
    const purchase = this.model.purchases.get(purchaseId);
    const reads = [
      [`/details/${purchaseId}/${packageName}`, expected.details(purchase)],
      [`/details-by-productid/${purchaseId}/${packageName}/coins`, expected.details(purchase)],
      [`/details-by-productid/${purchaseId}/${packageName}/monthly`, undefined],
      [`/recurring-details/${purchaseId}/${packageName}`, expected.recurring(purchase)],
      [`/last-recurring-details/${purchaseId}/${packageName}`, expected.lastRecurring(purchase)],
    ] as const;
    for (const [path, body] of reads) {
      const response = await this.#purchaseApi('GET', path);
      if (body === undefined) expect([response.status, response.body.error.code]).toEqual([404, 9001]);
      // Compared as text, because the order of the keys matters and fields that do not apply are omitted.
      else expect(response.text).toBe(JSON.stringify(body));
    }
    const { status, body } = await this.#operatorApi('GET', `/purchases/${purchaseId}`);
    expect(status).toBe(purchase === undefined ? 404 : 200);
    if (purchase !== undefined) {
      expect(body.purchaseTime).toBe(purchase.purchaseTime);
      expect(body.voidedTime).toBe(purchase.voidedTime);
    }
  }

  async #list({ pageSize, since }: Step & { do: 'list' }, now: number): Promise<void> {
    const path = `/voided-purchases/${this.app.packageName}?maxResults=${pageSize}`;
    const start = now - (since ?? monthMs);
    const entries: unknown[] = [];
    let query = since === undefined ? '' : `&startTime=${start}`;
    for (;;) {
      const { status, body, text } = await this.#purchaseApi('GET', path + query);
      expect(status, text).toBe(200);
      entries.push(...body.voidedPurchaseList);
      if (body.continuationKey === undefined) break;
      expect(body.voidedPurchaseList).toHaveLength(pageSize);
      query = `&continuationKey=${body.continuationKey}`;
    }
    // A start may be a minute older than a month, so that its range ends before now.
    const isOpen = start + monthMs >= now;
    const end = isOpen ? Number.POSITIVE_INFINITY : start + monthMs;
    expect(entries).toEqual(
      this.model.voids.filter(({ voidedTime }) => voidedTime >= start && voidedTime <= end),
    );
  }

  async #pass(ms: number): Promise<void> {
    await server.clock.advance(ms);
    this.#latest = Math.max(this.#latest, server.clock.now());
    // As the specification requires, the app requests a new token before the old one expires.
    const { body } = await requestToken(server, this.app);
    Object.assign(this.app, { token: body.access_token });
  }

  async expectSame(): Promise<void> {
    for (const purchaseId of this.model.purchases.keys()) await this.#read(purchaseId);
    await this.#list({ do: 'list', pageSize: 2 }, server.clock.now());
    const events = await query(
      server.connection,
      `select type, purchase_id from event where package_name = '${this.app.packageName}' order by event_order`,
    );
    expect(events.map((event) => [event['type'], event['purchase_id']])).toEqual(this.model.events);
    const between = { from: server.connection, to: copy.connection };
    expect(await problemsElsewhere(between, this.app.packageName, { time: this.#latest })).toEqual([]);
  }
}

/** The purchase is dated further ahead of the clock than a call may date it. */
const clockSetBack: Step[] = [
  { do: 'record', purchase: 2, productId: 'coins', at: 60_000 },
  { do: 'pass', ms: -1_000 },
  { do: 'void', purchase: 2, reason: 'customer' },
];

test('any history of recording, consuming, voiding, cancelling and reactivating reads as the model says, and its export is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      // Each run starts at the same instant with a new app, so that a shrunk history fails in the same way.
      await server.clock.set(testNow);
      appsMade += 1;
      const run = new Run(await createTestApp(server, `com.example.run${appsMade}`));
      for (const step of steps) {
        await run.take(step);
        stepsDone += 1;
      }
      await run.expectSame();
    }),
    { numRuns: histories, examples: [[clockSetBack]] },
  );
  expect(await auditLedger(server.connection)).toEqual({});
});
