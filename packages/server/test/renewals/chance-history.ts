// Runs a random history with two jobs whose clocks differ, and checks what must hold in every history: no period is paid
// twice unnoticed, and no request that may be the first of its charge leaves too late.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import type { ClientConfig, Pool } from 'pg';
import { expect } from 'vitest';
import { createTestApp, type TestApp } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  type OpenJob,
  openJobWith,
  type RenewalStage,
  shownSubscription,
  stageStart,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import {
  auditSubscriptions,
  contradictions,
  wrongSettlementAllows,
} from '../../../../test/support/renewals/subscription-audit.ts';
import { problemsElsewhere } from '../../../../test/support/transfer/transfer.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { firstCalendar } from '../../src/domain/subscriptions/calendar-period.ts';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import { DatabaseUnavailable } from '../../src/store/connection/database-failure.ts';
import { Session } from '../../src/store/connection/session.ts';
import { putSubscription } from '../subscription-products.ts';
import { ChanceGateway } from './chance-gateway.ts';
import { attemptsOf, deleteApp, isIdle, unsettledAttemptOf } from './chance-rows.ts';
import type { Chance, ChanceStep, Sold } from './chance-steps.ts';
import { ChanceTerms, type ChangedLife, soldAt } from './chance-terms.ts';

const minuteMs = 60_000;

export interface ChanceStage extends RenewalStage {
  /** The database where exports are checked. */
  readonly copy: ClientConfig;
}

export class ChanceHistory {
  readonly #stage: ChanceStage;
  readonly #gateway: ChanceGateway;
  readonly #terms: ChanceTerms;
  readonly #database: Pool;
  readonly #app: TestApp;
  readonly #chance: Chance;
  readonly #ids = ['S-0', 'S-1', 'S-2', 'S-3'];
  readonly #wrong = new Set<string>();
  /** The jobs end at the next such point of theirs, like after a kill. */
  #killedAt: CrashPoint | undefined;
  /** The database is unavailable to the jobs once when they reach this point. */
  #unavailableAt: CrashPoint | undefined;
  /** Late payments that contradict a settlement by hand: each gives its period, or its money has to go back. */
  readonly #contradicted = new Set<string>();
  #runs: Promise<unknown>[] = [];
  #jobs: OpenJob[] = [];
  readonly #opened: OpenJob[] = [];

  private constructor(stage: ChanceStage, database: Pool, app: TestApp, chance: Chance) {
    this.#stage = stage;
    this.#terms = new ChanceTerms(stage, app);
    this.#gateway = new ChanceGateway(stage, this.#terms);
    this.#database = database;
    this.#app = app;
    this.#chance = chance;
  }

  static async play(stage: ChanceStage, database: Pool, packageName: string, chance: Chance): Promise<void> {
    await stage.clock.set(stageStart);
    const history = new ChanceHistory(
      stage,
      database,
      await createTestApp(stage.server, packageName),
      chance,
    );
    stage.gateway.decide((order) => history.#gateway.decide(order));
    await using session = await Session.open(stage.server.connection);
    try {
      for (const [index, id] of history.#ids.entries()) await history.#sell(id, chance.sold[index]);
      for (const step of chance.steps) {
        await history.#take(step);
        history.#gateway.problems.push(...(await contradictions(session, packageName, stage.clock.now())));
      }
      await history.#settleDown();
      await history.#expectSound();
    } finally {
      await history.#clear();
    }
  }

  async #sell(
    id: string,
    { period, firstPeriod, isFree }: Sold = { period: 'P1M', firstPeriod: null, isFree: false },
  ): Promise<void> {
    const productId = await putSubscription(this.#stage.server, this.#app, period);
    const first = firstPeriod !== null && { firstPeriod: { length: firstPeriod, price: 0 } };
    await subscribe({ ...this.#stage, app: this.#app }, id, {
      buyerId: `b-${id}`,
      productId,
      ...first,
      ...(isFree && { renewalPrice: 0 }),
    });
    const { renewalPrice } = await shownSubscription({ ...this.#stage, app: this.#app }, id);
    this.#terms.sell(id, renewalPrice);
    const sold = { ...soldAt, period, firstPeriod };
    this.#gateway.anchors.set(id, { ...sold, ...firstCalendar(sold).anchor });
  }

  async #take(step: ChanceStep): Promise<void> {
    const { server } = this.#stage;
    const { packageName } = this.#app;
    const path = { packageName };
    if (step.step === 'pass') return this.#pass(step.minutes);
    if (step.step === 'gateway') this.#gateway.answer = step.is;
    else if (step.step === 'release') await this.#release();
    else if (step.step === 'restart') this.#jobs = [];
    else if (step.step === 'kill') this.#killedAt = step.at;
    else if (step.step === 'unavailable') this.#unavailableAt = step.at;
    else if (step.step === 'pause') await callOperator(server, pauseRenewals, { body: path });
    else if (step.step === 'resume') await callOperator(server, resumeRenewals, { body: path });
    else if (step.step === 'disable' || step.step === 'enable') {
      await callOperator(server, updateApp, { path, body: { disabled: step.step === 'disable' } });
    } else if ('of' in step) {
      const id = this.#ids[step.of] ?? '';
      if (step.step === 'settle') return this.#settle(id, step.isTrue);
      return this.#change(id, step);
    }
  }

  async #change(id: string, change: ChangedLife): Promise<void> {
    const changed =
      'price' in change ? await this.#terms.take(id, change) : await this.#terms.change(id, change);
    if (changed === 'refused') return;
    const { anchors, endOf } = this.#gateway;
    if (changed.anchor !== undefined) anchors.set(id, changed.anchor);
    if (this.#terms.isOn(id)) endOf.delete(id);
    else if (!endOf.has(id)) endOf.set(id, this.#stage.clock.now());
  }

  /** Time passes, and both jobs do what is due; a charge whose answer is late keeps its job at work. */
  async #pass(minutes: number): Promise<void> {
    const { clock } = this.#stage;
    await clock.advance(minutes * minuteMs);
    if (this.#jobs.length === 0) this.#openJobs();
    const runs = this.#jobs.map(({ job }) => job.runOnce());
    let isDone = false;
    const all = Promise.all(runs).then(() => {
      isDone = true;
    });
    this.#runs.push(all);
    const isQuiet = async () =>
      isDone ||
      (this.#gateway.late.length > 0 &&
        this.#gateway.inFlight <= this.#gateway.late.length &&
        (await isIdle(this.#database)) &&
        this.#gateway.inFlight <= this.#gateway.late.length);
    await waitFor(isQuiet, { what: 'the jobs have sent all charges' });
    // New jobs go on, like a server next to one that is suspended.
    if (!isDone) this.#jobs = [];
  }

  #openJobs(): void {
    const { server, clock } = this.#stage;
    this.#jobs = this.#chance.offsets.map((offset) => {
      const shifted = { now: () => clock.now() + offset } as typeof clock;
      const gateway = this.#gateway.of(shifted);
      return openJobWith(
        { connection: server.connection, clock: shifted },
        {
          gateway,
          environment: 'production',
          retries: this.#chance.retries,
          testing: { crashPoints: (point) => this.#crash(point) },
        },
      );
    });
    this.#opened.push(...this.#jobs);
  }

  #crash(point: CrashPoint): void {
    if (point === this.#unavailableAt) {
      this.#unavailableAt = undefined;
      throw new DatabaseUnavailable(`unavailable at ${point}`);
    }
    if (point !== this.#killedAt) return;
    this.#killedAt = undefined;
    throw new Error(`killed at ${point}`);
  }

  /** Settles the open attempt as the gateway knows it or the other way around. */
  async #settle(id: string, isTrue: boolean): Promise<void> {
    const { packageName } = this.#app;
    const found = await unsettledAttemptOf(this.#database, packageName, id);
    if (found === undefined) return;
    const wasTaken = this.#stage.gateway.taken.has(found.key) || this.#terms.prices.get(id) === 0;
    const outcome = wasTaken === isTrue ? 'paid' : 'declined';
    const path = {
      packageName,
      firstPurchaseId: id,
      periodIndex: `${found.periodIndex}`,
      attempt: `${found.attempt}`,
    };
    const body = { outcome, note: 'by hand' };
    const { status } = await callOperator(this.#stage.server, settleAttempt, { path, body });
    expect([200, 409]).toContain(status);
    if (status === 200 && !isTrue) this.#wrong.add(id);
  }

  /** All late answers arrive, and what the jobs send after them is answered at once. Servers that were replaced stop. */
  async #release(): Promise<void> {
    const before = await attemptsOf(this.#database, this.#app.packageName);
    const late = this.#gateway.late.splice(0);
    this.#gateway.isReleasing = true;
    for (const { give } of late) give();
    await Promise.all(this.#runs.splice(0));
    this.#gateway.isReleasing = false;
    for (const opened of this.#opened) {
      if (!this.#jobs.includes(opened)) await opened.job.stop();
    }
    for (const { key } of late) {
      if (before.get(key)?.outcome?.startsWith('declined') === true) this.#contradicted.add(key);
    }
  }

  async #settleDown(): Promise<void> {
    await this.#release();
    this.#gateway.answer = 'paid';
    await this.#take({ step: 'enable' });
    await this.#take({ step: 'resume' });
    for (let hours = 0; hours < 4; hours += 1) await this.#pass(62);
  }

  async #expectSound(): Promise<void> {
    const { packageName } = this.#app;
    const { gateway, server } = this.#stage;
    const taken = new Map([...gateway.taken].filter(([key]) => key.includes(`/${packageName}/`)));
    const attempts = await attemptsOf(this.#database, this.#app.packageName);
    const { problems } = await auditSubscriptions(server.connection, taken, this.#stage.clock.now());
    const isAllowed = (problem: string) =>
      wrongSettlementAllows.test(problem) &&
      [...this.#wrong].some((id) => problem.includes(`${packageName}/${id}`));
    const lost = [...taken].filter(([key, times]) => {
      const attempt = attempts.get(key);
      const isListed =
        attempt?.outcome === null || attempt?.isRefundDue === true || attempt?.purchaseId != null;
      return times !== 1 || !(isListed || this.#wrong.has(key.split('/')[2] ?? ''));
    });
    for (const key of this.#contradicted) {
      const { outcome, isRefundDue } = attempts.get(key) ?? {};
      if (outcome !== 'paid' && !isRefundDue) this.#gateway.problems.push(`${key} is lost`);
    }
    expect([
      ...this.#gateway.problems,
      ...this.#terms.problems,
      ...problems.filter((problem) => !isAllowed(problem)),
    ]).toEqual([]);
    expect(lost).toEqual([]);
    const { rows: given } = await this.#database.query(
      `select purchase_id from purchase where package_name = $1 and period_index > 0 and voided_time is null
        and purchase_time >= expiry_time`,
      [packageName],
    );
    expect(given, 'periods that were over when they were paid').toEqual([]);
    const at = { time: this.#stage.clock.now(), environment: 'production' } as const;
    const between = { from: server.connection, to: this.#stage.copy };
    expect(await problemsElsewhere(between, packageName, at)).toEqual([]);
  }

  async #clear(): Promise<void> {
    for (const { give } of this.#gateway.late.splice(0)) give();
    await Promise.allSettled(this.#runs.splice(0));
    for (const job of this.#opened) await job[Symbol.asyncDispose]();
    await deleteApp(this.#database, this.#app.packageName);
  }
}
