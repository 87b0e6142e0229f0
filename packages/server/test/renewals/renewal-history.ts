// Runs a history with real servers, a gateway and a database, and compares each step with the model.

import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import { callPurchaseApi, createTestApp, operate, requestToken, type TestApp } from '../harness.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import { type OpenJob, openJob, type RenewalStage, subscribe } from './renewal-stage.ts';
import { type Call, decisions, type History, type Step } from './renewal-steps.ts';
import { auditSubscriptions } from './subscription-audit.ts';
import { type SettledOutcome, SubscriptionModel } from './subscription-model.ts';
import type { Decision, Order } from './test-gateway.ts';

const hourMs = 3_600_000;

/** The calls during a charge may be slow on a busy machine. */
const answerWithinMs = 10_000;

/** After this many hours with a responding gateway, no attempt is open. */
const healingHoursMax = 5;

export class HistoryRun {
  readonly #stage: RenewalStage;
  readonly #database: Pool;
  readonly #app: TestApp;
  readonly #models = new Map<string, SubscriptionModel>();
  /** The number of attempts of each subscription whose outcome the model knows. */
  readonly #seen = new Map<string, number>();
  /** Changes to request as soon as a charge of the subscription is in flight. */
  readonly #duringCharge = new Map<string, Call>();
  /** Requests during a charge, which continue even if the charging server dies. */
  #asking: Promise<void>[] = [];
  #decision: Decision = decisions.paid;

  private constructor(stage: RenewalStage, database: Pool, app: TestApp) {
    this.#stage = stage;
    this.#database = database;
    this.#app = app;
  }

  /** Runs the history to its end in a new app, which is then reset. */
  static async play(
    stage: RenewalStage,
    database: Pool,
    { packageName, history }: { readonly packageName: string; readonly history: History },
  ): Promise<void> {
    const { starts, steps } = history;
    stage.clock.set(Math.min(...starts));
    const run = new HistoryRun(stage, database, await createTestApp(stage.server, packageName));
    stage.gateway.decide((order) => run.#decide(order));
    try {
      for (const start of starts.toSorted((left, right) => left - right)) await run.#begin(start);
      for (const step of steps) await run.#take(step);
      await run.#heal();
      await run.#expectAgreement();
    } finally {
      await run.#clear();
    }
  }

  get #now(): number {
    return this.#stage.clock.now();
  }

  async #begin(start: number): Promise<void> {
    const id = `S-${this.#models.size}`;
    this.#stage.clock.set(start);
    await subscribe({ ...this.#stage, app: this.#app }, id);
    this.#models.set(id, new SubscriptionModel(start));
  }

  async #take(step: Step): Promise<void> {
    if (step.step === 'gateway') this.#decision = decisions[step.is];
    else if (step.step === 'pass') await this.#pass(step);
    else if (step.during === 'quiet') await this.#ask(step.asked);
    else this.#duringCharge.set(this.#idOf(step.asked), step.asked);
    await this.#expectEvents();
  }

  #idOf({ of }: Call): string {
    return `S-${of % this.#models.size}`;
  }

  #modelOf(id: string): SubscriptionModel {
    const model = this.#models.get(id);
    if (model === undefined) throw new Error(`There is no subscription ${id}.`);
    return model;
  }

  /** Advances the time, and lets new servers process everything that is due. */
  async #pass({ hours, servers, crash }: Omit<Extract<Step, { step: 'pass' }>, 'step'>): Promise<void> {
    this.#stage.clock.advance(hours * hourMs);
    this.#stage.told.logLines.length = 0;
    const jobs = Array.from({ length: servers }, () => this.#openJob(crash));
    await Promise.all(jobs.map(({ job }) => job.runOnce()));
    for (const job of jobs) await job[Symbol.asyncDispose]();
    await Promise.all(this.#asking.splice(0));
    const faults = this.#stage.told.logLines.filter((line) => !line.includes(killed));
    expect(faults.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    // A server that dies or gets no response leaves some of it for later.
    const isSure = crash === null && !('trouble' in this.#decision);
    for (const [id, model] of this.#models) {
      const isOverdue = model.isOverdue(this.#now);
      if (isOverdue && (isSure || (await this.#isExpiryTold(id)))) model.expireOverdue(this.#now);
      await this.#observe(id);
      if (model.isOver(this.#now) && (isSure || (await this.#isExpiryTold(id)))) model.runOut();
    }
  }

  /** A dead server does nothing more, so every later crash point ends it too. */
  #openJob(crash: CrashPoint | null): OpenJob {
    let isDead = false;
    const crashPoints = (point: CrashPoint): void => {
      isDead ||= point === crash;
      if (isDead) throw new Error(killed);
    };
    const { server } = this.#stage;
    return openJob(server, this.#stage, { timeoutMs: answerWithinMs, testing: { crashPoints } });
  }

  async #decide({ firstPurchaseId }: Order): Promise<Decision> {
    const call = this.#duringCharge.get(firstPurchaseId);
    this.#duringCharge.delete(firstPurchaseId);
    if (call !== undefined) {
      const asking = this.#ask(call);
      this.#asking.push(asking);
      await asking;
    }
    return this.#decision;
  }

  /** Requests the change over HTTP and from the model. */
  async #ask(asked: Call): Promise<void> {
    const id = this.#idOf(asked);
    await this.#observe(id);
    const model = this.#modelOf(id);
    if (asked.call === 'void') return this.#askForVoid(id, Math.max(0, model.index - asked.back));
    const isByApp = asked.by === 'app';
    const isAccepted =
      asked.call === 'cancel' ? model.cancel(this.#now, isByApp ? '1' : '0') : model.reactivate(this.#now);
    const { packageName } = this.#app;
    if (isByApp) {
      const path = `/manage-payment-status/${id}/${packageName}/${asked.call}`;
      const { status, body } = await this.#callAsApp(path, 'POST');
      expect([status, body]).toEqual([200, { responseCode: isAccepted ? 0 : 1, purchaseId: id }]);
    } else {
      const body = asked.call === 'cancel' ? { reason: 'customer' } : undefined;
      const path = `/apps/${packageName}/subscriptions/${id}/${asked.call}`;
      const { status } = await operate(this.#stage.server, 'POST', path, { body });
      expect(status).toBe(isAccepted ? 200 : 409);
    }
  }

  async #askForVoid(id: string, index: number): Promise<void> {
    this.#modelOf(id).void(index, this.#now);
    const path = `/apps/${this.#app.packageName}/subscriptions/${id}`;
    const { body } = await operate(this.#stage.server, 'GET', path);
    const { purchaseId } = body.months[index];
    await voidTestPurchase(this.#stage.server, this.#app, purchaseId);
  }

  /** Requests a token for each call, because the clock moves by months. */
  async #callAsApp(path: string, method = 'GET') {
    const { server } = this.#stage;
    const token = (await requestToken(server, this.#app)).body.access_token;
    return callPurchaseApi(server, { token, path, method });
  }

  /** Passes the attempts that were settled since the last call to the model. */
  async #observe(id: string): Promise<void> {
    const { rows } = await this.#database.query(
      `select attempt, outcome, was_pending as pending, settled_time::float as settled from renewal_attempt
        where package_name = $1 and first_purchase_id = $2 order by period_index, attempt`,
      [this.#app.packageName, id],
    );
    const model = this.#modelOf(id);
    for (const { attempt, outcome, pending, settled } of rows.slice(this.#seen.get(id) ?? 0)) {
      if (outcome === null) {
        model.isCharged = true;
        model.isPending = pending;
        break;
      }
      expect(settled).toBe(this.#now);
      model.settle({ outcome: outcome as SettledOutcome, attempt, now: settled });
      this.#seen.set(id, (this.#seen.get(id) ?? 0) + 1);
    }
  }

  async #isExpiryTold(id: string): Promise<boolean> {
    const { rows } = await this.#database.query(
      'select expiry_told as told from subscription where package_name = $1 and first_purchase_id = $2',
      [this.#app.packageName, id],
    );
    return rows[0].told;
  }

  async #expectEvents(): Promise<void> {
    const { rows } = await this.#database.query(
      `select first_purchase_id as id, json_agg(type order by event_order) as types from event
        where package_name = $1 group by 1 order by 1`,
      [this.#app.packageName],
    );
    expect(Object.fromEntries(rows.map(({ id, types }) => [id, types]))).toEqual(
      Object.fromEntries([...this.#models].map(([id, { events }]) => [id, events])),
    );
  }

  /** The gateway responds again, and all open attempts are settled. */
  async #heal(): Promise<void> {
    this.#decision = decisions.paid;
    this.#duringCharge.clear();
    for (let hours = 0; hours < healingHoursMax; hours += 1) {
      await this.#pass({ hours: 1.02, servers: 1, crash: null });
    }
    await this.#expectEvents();
  }

  /** Compares the purchase API, the database and the payments of the gateway. */
  async #expectAgreement(): Promise<void> {
    const { packageName } = this.#app;
    for (const [id, model] of this.#models) {
      const { lastPurchaseId, ...last } = (
        await this.#callAsApp(`/last-recurring-details/${id}/${packageName}`)
      ).body;
      expect(last).toEqual({
        startTime: model.start,
        expiryTime: model.expiry,
        autoRenewing: model.auto,
        ...(model.auto && { nextPaymentTime: model.expiry }),
        ...(!model.auto && { cancelReason: model.cancelReason, cancelledTime: model.cancelledTime }),
      });
      const newest = (await this.#callAsApp(`/recurring-details/${lastPurchaseId}/${packageName}`)).body;
      expect(newest).toMatchObject(last);
      const { body } = await operate(this.#stage.server, 'GET', `/apps/${packageName}/subscriptions/${id}`);
      expect(body.months[model.index].purchaseId).toBe(lastPurchaseId);
      expect(body.months).toHaveLength(model.index + 1 + model.monthsAfterEnd);
    }
    const taken = [...this.#stage.gateway.taken].filter(([key]) => key.includes(`/${packageName}/`));
    const audit = await auditSubscriptions(this.#stage.server.connection, new Map(taken));
    const subscriptions = this.#models.size;
    const renewals = taken.filter(([key]) => !audit.unresolved.includes(key)).length;
    expect(audit).toMatchObject({ problems: [], subscriptions, renewals, open: 0 });
    expect(this.#stage.gateway.badSignatures).toBe(0);
  }

  /** Removes everything that could fall due in the next history, whose clock starts earlier. */
  async #clear(): Promise<void> {
    for (const table of ['subscription', 'renewal_attempt', 'purchase', 'event', 'app_counter']) {
      await this.#database.query(`delete from ${table} where package_name = $1`, [this.#app.packageName]);
    }
  }
}

/** The error of a server that ended at a crash point. */
const killed = 'killed at a crash point';
