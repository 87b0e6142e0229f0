// How many charges may be under way at once, and how they are shared between apps: an app whose charges get
// no answer waits with one of them, and all such apps together with a part, so that they hold up nobody else.

import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';

export const chargeLimits = {
  /** Connections to the gateway. At half a second a charge this is 500 of them a second for each server. */
  atOnceMax: 256,
  /** Of one app, which is also the size of its batches: each answered charge allows one more, up to this. */
  ofAppMax: 64,
  /** Of an app that begins: should the gateway not answer for it, so many wait. */
  ofAppAtFirst: 8,
  /** Of all apps together whose last charge got no answer, each of which may have one. */
  unansweredMax: 32,
} as const;

interface AppSlots {
  taken: number;
  /** 1 after a charge without an answer. */
  allowed: number;
}

export class ChargeSlots {
  readonly #limits: { readonly [Name in keyof typeof chargeLimits]: number };
  readonly #apps = new Map<string, AppSlots>();
  #taken = 0;

  constructor(limits: { readonly [Name in keyof typeof chargeLimits]: number } = chargeLimits) {
    this.#limits = limits;
  }

  /** Takes as many slots as the app may have now, which may be none. */
  take(packageName: string): number {
    const { atOnceMax, ofAppAtFirst, unansweredMax } = this.#limits;
    const app = this.#apps.get(packageName) ?? { taken: 0, allowed: ofAppAtFirst };
    const left = app.allowed === 1 ? unansweredMax - this.#takenByUnanswered() : atOnceMax;
    const taken = Math.max(0, Math.min(app.allowed - app.taken, left, atOnceMax - this.#taken));
    app.taken += taken;
    this.#taken += taken;
    this.#apps.set(packageName, app);
    return taken;
  }

  /** Gives slots back that no charge was made with. */
  giveBack(packageName: string, count: number): void {
    const app = this.#apps.get(packageName);
    if (app === undefined) return;
    app.taken -= count;
    this.#taken -= count;
  }

  /** Ends the charge of one slot; true when the gateway has stopped answering for this app. */
  end(packageName: string, outcome: ChargeOutcome): boolean {
    const app = this.#apps.get(packageName);
    if (app === undefined) return false;
    this.giveBack(packageName, 1);
    const wasAnswered = app.allowed > 1;
    const { ofAppMax, ofAppAtFirst } = this.#limits;
    if (outcome === 'unknown') {
      app.allowed = 1;
      // In the order of their last charges.
      this.#apps.delete(packageName);
      this.#apps.set(packageName, app);
    } else app.allowed = wasAnswered ? Math.min(ofAppMax, app.allowed + 1) : ofAppAtFirst;
    return outcome === 'unknown' && wasAnswered;
  }

  /** Whether the last charge of an app got no answer. */
  isUnanswered(packageName: string): boolean {
    return this.#apps.get(packageName)?.allowed === 1;
  }

  /** The apps whose last charge got no answer; whose charge is longest ago comes first. */
  unanswered(): string[] {
    return [...this.#apps].filter(([, app]) => app.allowed === 1).map(([packageName]) => packageName);
  }

  /** How many of them may have their one slot now. */
  unansweredRoom(): number {
    const { atOnceMax, unansweredMax } = this.#limits;
    return Math.max(0, Math.min(unansweredMax - this.#takenByUnanswered(), atOnceMax - this.#taken));
  }

  /** How many of the app's slots are free, of those that it may have. */
  freeShare(packageName: string): number {
    const app = this.#apps.get(packageName);
    return app === undefined ? 1 : 1 - app.taken / app.allowed;
  }

  /** Lets go of an app that has nothing to charge; one without answers is remembered. */
  forget(packageName: string): void {
    const app = this.#apps.get(packageName);
    if (app !== undefined && app.taken === 0 && app.allowed > 1) this.#apps.delete(packageName);
  }

  #takenByUnanswered(): number {
    let taken = 0;
    for (const app of this.#apps.values()) if (app.allowed === 1) taken += app.taken;
    return taken;
  }
}
