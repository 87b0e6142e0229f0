// The deliveries of one webhook that are in memory: they are sent while slots are free, and their records are collected until
// they are written. It does not know the database.

import { hourMs } from '../../domain/time.ts';
import { signatureHeaders } from '../../domain/webhooks/webhook-signature.ts';
import { deliveredEvent } from '../../operations/events/public-event.ts';
import type { AdaptiveLimit } from '../../runtime/adaptive-limit.ts';
import { pause } from '../../runtime/pause.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import type { DeliveryRecord } from '../../store/webhooks/delivery-records.ts';
import type { FreshEvent } from '../../store/webhooks/undelivered-events.ts';
import type { HourAttempts } from '../../store/webhooks/webhook-hours.ts';
import {
  addAttempt,
  type DeliveryTimes,
  isDelivered,
  recordAfterAttempt,
  recordBeforeAttempt,
  subjectOf,
} from './attempt-records.ts';
import type { OpenEndpoint, WebhookLease } from './open-endpoint.ts';
import { type SendOutcome, unsentOutcome, type WebhookSender } from './webhook-sender.ts';

/** How often a webhook without a slot tries to acquire one, in ms. */
const slotEveryMs = 25;

/** How often the end of attempts in flight is checked, in ms, in addition to the end of each. */
const checkEveryMs = 200;

/** How an attempt ended: `failed` is retried, `dead` was the last one. */
export type AttemptEnd = 'delivered' | 'failed' | 'dead';

export interface AttemptSettings {
  readonly sender: WebhookSender;
  readonly slots: AdaptiveLimit;
  /** Whether a delivery of the app that failed at this real instant may be given up. */
  readonly mayGiveUp: (packageName: string, at: number) => Promise<boolean>;
  readonly randomness: Randomness;
  readonly onAttempt: (end: AttemptEnd) => void;
  readonly stopping: AbortSignal;
}

/** Events of one subject that are sent one after another, or one due delivery. */
export interface Chain {
  event: EventRow;
  /** undefined until the event has a record. */
  record: DeliveryRecord | undefined;
  readonly behind: EventRow[];
}

export class DeliveryAttempts {
  /** undefined until the webhook is read. */
  endpoint: OpenEndpoint | undefined;
  readonly #settings: AttemptSettings;
  readonly #scope: WebhookLease['scope'];
  /** The chains of this round that are not over, and those of them that have no attempt in flight. */
  readonly #chains = new Set<Chain>();
  #ready: Chain[] = [];
  /** Chains of all rounds, by the order of the event whose attempt is in flight. */
  readonly #inFlight = new Map<number, Chain>();
  readonly #unwritten = new Map<number, DeliveryRecord>();
  /** The attempts that are not written, by the beginning of their hour. */
  readonly #hours = new Map<number, HourAttempts>();
  #isPlain = true;
  #isEnding = false;
  #fault: unknown;
  #wake = new AbortController();

  constructor(settings: AttemptSettings, { scope }: WebhookLease) {
    this.#settings = settings;
    this.#scope = scope;
  }

  /** No attempt begins after this call. */
  end(): void {
    this.#isEnding = true;
  }

  get isEnding(): boolean {
    return this.#isEnding || this.#settings.stopping.aborted;
  }

  get hasFreeSlot(): boolean {
    return this.#settings.slots.freeShare(this.#scope.packageName) > 0;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** The unwritten records; `isPlain` if all are of first attempts that succeeded, so that nothing waits for them. */
  takeRecords() {
    const hours = [...this.#hours.values()];
    const taken = { records: [...this.#unwritten.values()], isPlain: this.#isPlain, hours };
    this.#unwritten.clear();
    this.#hours.clear();
    this.#isPlain = true;
    return taken;
  }

  has(order: number): boolean {
    return this.#inFlight.has(order) || this.#unwritten.has(order);
  }

  add(chain: Chain): void {
    this.#chains.add(chain);
    this.#ready.push(chain);
  }

  /** The chains of new events, in order. Events behind a delivery that is open in the database are held. */
  chainsOf(events: readonly FreshEvent[]): Chain[] {
    const chains = new Map<string | number, Chain>();
    for (const event of events) {
      const key = subjectOf(event) ?? event.order;
      const chain = chains.get(key);
      if (event.isBehind) this.#hold([event]);
      else if (chain === undefined) chains.set(key, { event, record: undefined, behind: [] });
      else chain.behind.push(event);
    }
    return [...chains.values()];
  }

  put(record: DeliveryRecord, { isPlain }: { readonly isPlain: boolean }): void {
    this.#unwritten.set(record.eventOrder, record);
    this.#isPlain &&= isPlain;
  }

  /** Sends what was added. Resolves when all of it is over, after `ms`, or when attempts of earlier rounds end. */
  async send(ms: number): Promise<void> {
    const until = performance.now() + ms;
    this.#begin();
    const waitsForEarlier = this.#chains.size === 0 && this.#unwritten.size === 0 && this.#inFlight.size > 0;
    if (waitsForEarlier) await this.#rest(checkEveryMs);
    const isSending = () => (this.isEnding ? this.#inFlight : this.#chains).size > 0;
    while (isSending() && performance.now() < until) {
      await this.#rest(this.#inFlight.size === 0 ? slotEveryMs : until - performance.now());
      this.#begin();
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Resolves when nothing is in flight. */
  async drain(): Promise<void> {
    this.end();
    while (this.#inFlight.size > 0) await this.#rest(checkEveryMs);
  }

  /** Attempts in flight get a record. Returns the chains that have not begun, which are read again. */
  endRound(): readonly Chain[] {
    for (const chain of this.#inFlight.values()) {
      if (chain.record === undefined) {
        chain.record = recordBeforeAttempt(chain.event, this.#scope, this.#open.instants().now);
        this.put(chain.record, { isPlain: false });
      }
      this.#hold(chain.behind.splice(0));
    }
    const left = this.#ready;
    // Other webhooks have all slots.
    if (left.length > 0 && this.#inFlight.size === 0) this.end();
    this.#ready = [];
    this.#chains.clear();
    return left;
  }

  get #open(): OpenEndpoint {
    if (this.endpoint === undefined) throw new Error('A webhook was used before it was read.');
    return this.endpoint;
  }

  #begin(): void {
    const { slots } = this.#settings;
    while (!this.isEnding && this.#ready.length > 0 && slots.acquire(this.#scope.packageName)) {
      const chain = this.#ready.shift() as Chain;
      this.#inFlight.set(chain.event.order, chain);
      this.#attempt(chain).catch((error: unknown) => {
        this.#fault ??= error;
        this.end();
      });
    }
  }

  async #attempt(chain: Chain): Promise<void> {
    const { slots, mayGiveUp } = this.#settings;
    const { order } = chain.event;
    const begun = this.#open.instants();
    let outcome: SendOutcome | undefined;
    let isCounted = true;
    try {
      outcome = await this.#post(chain.event, begun);
      if (outcome !== undefined && !isDelivered(outcome)) {
        isCounted = await mayGiveUp(this.#scope.packageName, begun.realNow);
      }
    } finally {
      const result = outcome && (outcome.failure === undefined ? 'response' : 'noResponse');
      slots.release(this.#scope.packageName, result ?? 'unused');
      this.#inFlight.delete(order);
    }
    // Whether an aborted attempt arrived is unknown: it is repeated.
    if (outcome === undefined) this.#ready.push(chain);
    else this.#settle(chain, outcome, { begun, isCounted });
    this.#begin();
    if (this.#chains.size === 0 || this.#inFlight.size === 0) this.#wake.abort();
  }

  async #post(event: EventRow, { realNow }: DeliveryTimes): Promise<SendOutcome | undefined> {
    const { url } = this.#open;
    if (url === undefined) return unsentOutcome('addressRefused');
    const { id, body } = deliveredEvent(event, this.#scope);
    const headers = signatureHeaders({ id, now: realNow, body }, this.#open.secretsAt(realNow));
    return this.#settings.sender.send({ url, body, headers });
  }

  #settle(
    chain: Chain,
    outcome: SendOutcome,
    made: { readonly begun: DeliveryTimes; readonly isCounted: boolean },
  ): void {
    const { randomness, onAttempt } = this.#settings;
    const before = chain.record ?? recordBeforeAttempt(chain.event, this.#scope, made.begun.now);
    this.#count(outcome, made.begun);
    const record = recordAfterAttempt(before, outcome, { ...made, drawn: randomness.uint32() });
    const { state } = record;
    this.put(record, { isPlain: chain.record === undefined && state === 'delivered' });
    onAttempt(state === 'delivered' || state === 'dead' ? state : 'failed');
    const next = state === 'waiting' ? undefined : chain.behind.shift();
    if (next === undefined) {
      this.#hold(chain.behind);
      this.#chains.delete(chain);
      return;
    }
    Object.assign(chain, { event: next, record: undefined });
    this.#ready.push(chain);
  }

  #count(outcome: SendOutcome, { realNow }: DeliveryTimes): void {
    const hour = realNow - (realNow % hourMs);
    const before = this.#hours.get(hour) ?? { hour, attempts: 0, failed: 0, within100: 0, within1000: 0 };
    this.#hours.set(hour, addAttempt(before, outcome));
  }

  /** Records events that wait for an earlier one of their subject. */
  #hold(events: readonly EventRow[]): void {
    for (const event of events) this.put(recordBeforeAttempt(event, this.#scope, null), { isPlain: false });
  }

  async #rest(ms: number): Promise<void> {
    this.#wake = new AbortController();
    await pause(Math.max(1, ms), { signal: this.#wake.signal }).catch(() => undefined);
  }
}
