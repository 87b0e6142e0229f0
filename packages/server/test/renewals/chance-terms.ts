// The terms of the subscriptions of a random history: the price that each subscriber agreed to, and who may switch auto-payment
// on again (the table of docs/decisions/subscriptions.md).

import { expect } from 'vitest';
import { changeAutoPayment } from '../../../../test/support/calls/purchase-changes.ts';
import { operate, type TestApp } from '../../../../test/support/harness.ts';
import {
  dayMs,
  type RenewalStage,
  shownSubscription,
  stageStart,
  tokenOf,
} from '../../../../test/support/renewals/renewal-stage.ts';
import type { CalendarAnchor } from '../../src/domain/subscriptions/calendar-period.ts';
import type { ChanceStep, ChangedTerms } from './chance-steps.ts';

/** Absent from the terms of a subscription that was voided, or whose buyer was erased. */
type Will = 'on' | 'off' | 'awaited' | 'withdrawn';

type Change = ChangedTerms['step'] | 'cancel' | 'reactivate' | 'void' | 'erase' | 'extend';

export type ChangedLife =
  | ChangedTerms
  | Exclude<Extract<ChanceStep, { readonly of: number }>, ChangedTerms | { readonly step: 'settle' }>;

/** The calendar after an extension. */
type Changed = { readonly anchor?: CalendarAnchor } | 'refused';

/** From which wills a change that was not refused may start. */
const startsFrom: Readonly<Partial<Record<Change, readonly Will[]>>> = {
  cancel: ['on', 'awaited'],
  appCancel: ['on', 'awaited'],
  reactivate: ['off', 'withdrawn'],
  appReactivate: ['off'],
  consent: ['awaited'],
};

const endsIn: Readonly<Partial<Record<Change, Readonly<Partial<Record<Will, Will>>>>>> = {
  cancel: { on: 'off', awaited: 'withdrawn' },
  appCancel: { on: 'off', awaited: 'withdrawn' },
  reactivate: { off: 'on', withdrawn: 'on' },
  appReactivate: { off: 'on' },
  consent: { awaited: 'on' },
  ask: { on: 'awaited', off: 'withdrawn' },
  priceAndAsk: { on: 'awaited', off: 'withdrawn' },
};

/** When the subscriptions start. */
export const soldAt = { firstStartTime: stageStart, timeZone: 'UTC' } as const;

export class ChanceTerms {
  readonly problems: string[] = [];
  /** The price of the next period, by the id of the subscription. */
  readonly prices = new Map<string, number>();
  readonly #stage: RenewalStage;
  readonly #app: TestApp;
  readonly #wills = new Map<string, Will>();

  constructor(stage: RenewalStage, app: TestApp) {
    this.#stage = stage;
    this.#app = app;
  }

  sell(id: string, renewalPrice: number): void {
    this.prices.set(id, renewalPrice);
    this.#wills.set(id, 'on');
  }

  /** Checks a charge when it is sent. */
  check({ idempotencyKey, firstPurchaseId: id, price }: Charged): void {
    const agreed = this.prices.get(id);
    if (price !== agreed) this.problems.push(`${idempotencyKey} costs ${price}, and ${agreed} was agreed`);
    if (price === 0) this.problems.push(`${idempotencyKey} is free, and was sent`);
    const will = this.#wills.get(id);
    if (will === 'awaited' || will === 'withdrawn')
      this.problems.push(`${idempotencyKey} was sent, and consent is ${will}`);
  }

  isOn(id: string): boolean {
    return this.#wills.get(id) === 'on';
  }

  async change(id: string, { step: change, ...more }: Exclude<ChangedLife, ChangedTerms>): Promise<Changed> {
    const { server } = this.#stage;
    const { packageName } = this.#app;
    const app = `/apps/${packageName}`;
    const {
      period,
      lastPurchaseId,
      lastPeriodIndex,
      expiryTime: end,
    } = await shownSubscription({ ...this.#stage, app: this.#app }, id);
    const expiryTime = end + ('days' in more ? more.days * dayMs : 0);
    const calls = {
      erase: ['/buyers/erase', { packageName, buyerId: `b-${id}` }],
      void: [`${app}/purchases/${lastPurchaseId}/void`, {}],
      cancel: [`${app}/subscriptions/${id}/cancel`, {}],
      reactivate: [`${app}/subscriptions/${id}/reactivate`, {}],
      extend: [`${app}/subscriptions/${id}/extend`, { expiryTime }],
    } as const;
    const [path, body] = calls[change];
    const { status } = await operate(server, 'POST', path, { body });
    expect([200, 409]).toContain(status);
    if (status !== 200) return 'refused';
    this.#changed(id, change);
    if (change !== 'extend') return {};
    return { anchor: { ...soldAt, period, anchorTime: expiryTime, anchorIndex: lastPeriodIndex } };
  }

  /** A change that was not refused. */
  #changed(id: string, change: Change): void {
    const will = this.#wills.get(id);
    if (change === 'void' || change === 'erase') this.#wills.delete(id);
    if (will === undefined) return;
    const allowed = startsFrom[change];
    if (allowed?.includes(will) === false) this.problems.push(`${change} of ${id}, which is ${will}`);
    const next = endsIn[change]?.[will];
    if (next !== undefined) this.#wills.set(id, next);
  }

  async take(id: string, { step, price }: ChangedTerms): Promise<Changed> {
    const { server } = this.#stage;
    if (step === 'appCancel' || step === 'appReactivate') {
      const app = { ...this.#app, token: await tokenOf(server, this.#app) };
      const action = step === 'appCancel' ? 'cancel' : 'reactivate';
      const { body } = await changeAutoPayment(server, app, { purchaseId: id, action });
      if (body.responseCode !== 0) return 'refused';
      this.#changed(id, step);
      return {};
    }
    const consent = step === 'price' ? {} : { consent: step === 'consent' ? 'given' : 'awaited' };
    const called = { ask: 'cancel', consent: 'reactivate' } as Readonly<Record<string, string>>;
    const isPrice = step === 'price' || step === 'priceAndAsk';
    const { status } = await operate(
      server,
      'POST',
      `/apps/${this.#app.packageName}/subscriptions/${id}/${called[step] ?? 'change-renewal-price'}`,
      { body: { ...(isPrice && { price }), ...consent } },
    );
    expect([200, 409]).toContain(status);
    if (status !== 200) return 'refused';
    // The present price asks nobody.
    if (!isPrice || price !== this.prices.get(id)) this.#changed(id, step);
    if (isPrice) this.prices.set(id, price);
    return {};
  }
}

interface Charged {
  readonly idempotencyKey: string;
  readonly firstPurchaseId: string;
  readonly price: number;
}
