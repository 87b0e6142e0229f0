// How many attempts may be under way at once, and how they are shared between webhooks: a receiver that does not
// answer gets one of them at a time, and only so many such receivers at once, so that they hold up nobody else
// (docs/decisions/webhooks.md).

import { LRUCache } from 'lru-cache';

const slotLimits = {
  /** Attempts of a server under way, each with a connection and an event of some kilobytes. */
  atOnceMax: 512,
  /** Of one webhook: each answered attempt allows one more, up to this. */
  ofWebhookMax: 128,
  /** Of a webhook that begins; also the share that is kept for each while more than half of all are taken. */
  ofWebhookAtFirst: 8,
  /** What an attempt without an answer takes from what is allowed: who answers three of four keeps growing. */
  unansweredCost: 2,
  /** Webhooks at work that are down to one attempt at a time. */
  unansweredMax: 64,
} as const;

export type SlotLimits = { readonly [Name in keyof typeof slotLimits]: number };

/** Webhooks that do not answer and are remembered as such while nothing is under way for them. */
const rememberedMax = 10_000;

interface WebhookSlots {
  taken: number;
  allowed: number;
}

export class EndpointSlots {
  readonly #limits: SlotLimits;
  readonly #active = new Map<string, WebhookSlots>();
  readonly #unanswered = new LRUCache<string, true>({ max: rememberedMax });
  #taken = 0;
  #unansweredCount = 0;

  constructor(limits: SlotLimits = slotLimits) {
    this.#limits = limits;
  }

  /** Webhooks that would not be begun with now. */
  get waiting(): readonly string[] {
    return this.#isFullOfUnanswered ? [...this.#unanswered.keys()] : [];
  }

  /** Begins with a webhook; false when others without answers have taken all that such webhooks may. */
  begin(packageName: string): boolean {
    const isUnanswered = this.#unanswered.has(packageName);
    if (isUnanswered && this.#isFullOfUnanswered) return false;
    if (isUnanswered) this.#unansweredCount += 1;
    const allowed = isUnanswered ? 1 : this.#limits.ofWebhookAtFirst;
    this.#active.set(packageName, { taken: 0, allowed });
    return true;
  }

  /** Ends with a webhook for which nothing is under way. */
  end(packageName: string): void {
    if (this.isUnanswered(packageName)) {
      this.#unansweredCount -= 1;
      this.#unanswered.set(packageName, true);
    } else this.#unanswered.delete(packageName);
    this.#active.delete(packageName);
  }

  /** Whether it is down to one attempt at a time. */
  isUnanswered(packageName: string): boolean {
    return this.allowed(packageName) === 1;
  }

  /** Attempts that it may have under way; 0 before it has begun. */
  allowed(packageName: string): number {
    return this.#active.get(packageName)?.allowed ?? 0;
  }

  /** Takes a slot, if the webhook may have one more now. */
  take(packageName: string): boolean {
    const slots = this.#active.get(packageName);
    const { atOnceMax, ofWebhookAtFirst } = this.#limits;
    if (slots === undefined || this.#taken >= atOnceMax) return false;
    const isCrowded = this.#taken >= atOnceMax / 2;
    if (slots.taken >= (isCrowded ? Math.min(slots.allowed, ofWebhookAtFirst) : slots.allowed)) return false;
    slots.taken += 1;
    this.#taken += 1;
    return true;
  }

  /** Gives a slot back. `wasAnswered` is undefined when the attempt was called off. */
  giveBack(packageName: string, wasAnswered: boolean | undefined): void {
    const slots = this.#active.get(packageName);
    if (slots === undefined) throw new Error('A slot was given back that nobody had.');
    slots.taken -= 1;
    this.#taken -= 1;
    const before = this.isUnanswered(packageName);
    slots.allowed = this.#allowedAfter(slots.allowed, wasAnswered);
    this.#unansweredCount += Number(this.isUnanswered(packageName)) - Number(before);
  }

  get #isFullOfUnanswered(): boolean {
    return this.#unansweredCount >= this.#limits.unansweredMax;
  }

  #allowedAfter(allowed: number, wasAnswered: boolean | undefined): number {
    const { ofWebhookMax, ofWebhookAtFirst, unansweredCost } = this.#limits;
    if (wasAnswered === undefined) return allowed;
    if (!wasAnswered) return Math.max(1, allowed - unansweredCost);
    return allowed === 1 ? ofWebhookAtFirst : Math.min(ofWebhookMax, allowed + 1);
  }
}
