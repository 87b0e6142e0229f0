// The gateway of a random history: it answers as the steps say, and checks each charge when it leaves.

import { chargeDaysMax } from '@opentill/contract/limits.ts';
import { dayMs, type RenewalStage } from '../../../../test/support/renewals/renewal-stage.ts';
import { type Decision, gatewaySecret, type Order } from '../../../../test/support/renewals/test-gateway.ts';
import { httpGateway } from '../../src/charging/gateways/http-gateway.ts';
import type { ChargeRequest, PaymentGateway } from '../../src/charging/gateways/payment-gateway.ts';
import { type CalendarAnchor, periodEnd } from '../../src/domain/subscriptions/calendar-period.ts';
import { answers, type LateAnswer } from './chance-steps.ts';
import type { ChanceTerms } from './chance-terms.ts';

const minuteMs = 60_000;
const clockDifferenceMs = 50_000;
const leaseMs = 20_000;

/** Late answers come when a step says so. */
const answerWithinMs = 60_000;

export class ChanceGateway {
  readonly problems: string[] = [];
  /** When auto-payment of a subscription ended. */
  readonly endOf = new Map<string, number>();
  /** The anchor of each subscription, by its id. */
  readonly anchors = new Map<string, CalendarAnchor>();
  answer: keyof typeof answers = 'paid';
  late: LateAnswer[] = [];
  isReleasing = false;
  /** Charges of the jobs that have no answer yet. */
  inFlight = 0;
  readonly #stage: RenewalStage;
  readonly #terms: ChanceTerms;
  readonly #pendingKeys = new Set<string>();
  /** When a request with a key was first sent. */
  readonly #firstSent = new Map<string, number>();
  #asked = 0;

  constructor(stage: RenewalStage, terms: ChanceTerms) {
    this.#stage = stage;
    this.#terms = terms;
  }

  /** Checks a charge when it leaves: time may pass before it arrives, and even while a job that seems idle works on. */
  of(clock: RenewalStage['clock']): PaymentGateway {
    const settings = { url: this.#stage.gateway.url, secret: gatewaySecret };
    const gateway = httpGateway(settings, { clock, timeoutMs: answerWithinMs });
    return {
      charge: async (charge, signal) => {
        this.#terms.check(charge);
        if (!this.#pendingKeys.has(charge.idempotencyKey)) this.#checkInTime(charge);
        this.inFlight += 1;
        try {
          return await gateway.charge(charge, signal);
        } finally {
          this.inFlight -= 1;
        }
      },
    };
  }

  decide({ idempotencyKey: key, firstPurchaseId: id }: Order): Decision {
    this.#asked += 1;
    const isUnlucky = this.answer !== 'lost for one in five' || this.#asked % 5 === 0;
    const decision = answers[isUnlucky ? this.answer : 'paid'];
    if (decision.outcome === 'pending') this.#pendingKeys.add(key);
    if (this.answer !== 'late' || this.isReleasing) return decision;
    const late = Promise.withResolvers<void>();
    this.late.push({ key, id, give: late.resolve });
    return { outcome: 'paid', trouble: { until: late.promise } };
  }

  /** Checks a request that may be the first of its charge. */
  #checkInTime({
    idempotencyKey: key,
    firstPurchaseId: id,
    periodIndex: index,
    startTime,
  }: ChargeRequest): void {
    const now = this.#stage.clock.now();
    const first = this.#firstSent.get(key) ?? now;
    this.#firstSent.set(key, first);
    if (now > first + chargeDaysMax * dayMs + clockDifferenceMs)
      this.problems.push(`${key} was sent 18 days after its first request`);
    const anchor = this.anchors.get(id);
    if (anchor === undefined) throw new Error(`A charge of ${id}, which was not sold.`);
    const end = periodEnd(anchor, index);
    const last = startTime + Math.min(Math.floor((2 * (end - startTime)) / 3), 60 * dayMs);
    if (now > last + clockDifferenceMs)
      this.problems.push(`${key} was sent in the last third of its period, or after 60 days`);
    const ended = this.endOf.get(id) ?? now;
    const leftMs = 10 * minuteMs + clockDifferenceMs + leaseMs;
    if (now > ended + leftMs) this.problems.push(`${key} was sent after auto-payment had ended`);
  }
}
