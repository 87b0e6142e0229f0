// Posts events: those of one purchase or subscription one at a time, others concurrently. An event that fails is retried
// every second, and finally skipped. The position moves past an event when it and all earlier ones are done.

import { EventEmitter, once } from 'node:events';
import type { Event } from '@opentill/client';
import { signatureHeaders } from '@opentill/server/domain/webhooks/webhook-signature.ts';
import { isDelivered } from '@opentill/server/jobs/webhooks/attempt-records.ts';
import type { SendOutcome, WebhookSender } from '@opentill/server/jobs/webhooks/webhook-sender.ts';
import { monotonicClock, systemClock } from '@opentill/server/runtime/clock.ts';
import { pause } from '@opentill/server/runtime/pause.ts';

/** Events that are being posted or wait for an earlier event of their purchase. */
const unfinishedMax = 32;

/** Events after the first unfinished one, which are posted again if the run ends before that one is done. */
const aheadMax = 1_000;

export const retryEveryMs = 1_000;

export interface ForwardedEvent {
  readonly event: Event;
  readonly outcome: SendOutcome;
  readonly isSkipped: boolean;
}

export interface ForwarderOptions {
  readonly sender: WebhookSender;
  readonly url: URL;
  readonly secret: Buffer;
  readonly retryMs: number;
  readonly signal: AbortSignal;
  /** Called at the first failure of an event that will be retried. */
  readonly onFailed: (event: Event, outcome: SendOutcome) => void;
  readonly onDone: (done: ForwardedEvent) => void;
  /** Called when all events up to this position of the feed are done. */
  readonly onPosition: (position: string) => void;
}

interface Step {
  readonly position: string;
  isDone: boolean;
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  /** In the order of the feed. */
  readonly #steps: Step[] = [];
  /** The last unfinished event of each purchase. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #changes = new EventEmitter();
  #unfinished = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Resolves when another event can be added. Rejects with the reason of the signal. */
  async add(event: Event): Promise<void> {
    const { signal } = this.#options;
    const subject = subjectOf(event);
    const step: Step = { position: event.id, isDone: false };
    this.#steps.push(step);
    this.#unfinished += 1;
    const previous = this.#last.get(subject) ?? Promise.resolve();
    const forwarded = previous
      .then(() => this.#forward(event))
      .then(
        () => {
          this.#unfinished -= 1;
          this.#finish(step);
        },
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      )
      .finally(() => {
        if (this.#last.get(subject) === forwarded) this.#last.delete(subject);
      });
    this.#last.set(subject, forwarded);
    while (this.#unfinished >= unfinishedMax || this.#steps.length >= aheadMax) {
      await once(this.#changes, 'finished', { signal });
    }
  }

  /** Call it when all events up to this position of the feed have been added. */
  passed(position: string): void {
    const step: Step = { position, isDone: false };
    this.#steps.push(step);
    this.#finish(step);
  }

  /** Resolves when no event is being posted. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  #finish(step: Step): void {
    step.isDone = true;
    let position: string | undefined;
    while (this.#steps[0]?.isDone === true) position = this.#steps.shift()?.position;
    if (position !== undefined) this.#options.onPosition(position);
    this.#changes.emit('finished');
  }

  async #forward(event: Event): Promise<void> {
    const { retryMs, signal, onFailed, onDone } = this.#options;
    const begun = monotonicClock.now();
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#post(event);
      if (isDelivered(outcome)) return onDone({ event, outcome, isSkipped: false });
      if (monotonicClock.now() - begun >= retryMs) return onDone({ event, outcome, isSkipped: true });
      if (attempt === 1) onFailed(event, outcome);
      await pause(retryEveryMs, { signal });
    }
  }

  async #post(event: Event): Promise<SendOutcome> {
    const { sender, url, secret, signal } = this.#options;
    signal.throwIfAborted();
    const body = JSON.stringify(event);
    const headers = signatureHeaders({ id: event.id, now: systemClock.now(), body }, [secret]);
    const outcome = await sender.send({ url, body, headers });
    // The sender was closed, which follows from the signal.
    if (outcome === undefined) throw signal.reason;
    return outcome;
  }
}

/** The events of all months of a subscription are in one sequence, as in webhooks. */
function subjectOf(event: Event): string {
  if ('firstPurchaseId' in event && event.firstPurchaseId !== undefined) return event.firstPurchaseId;
  return purchaseIdOf(event) ?? event.id;
}

/** undefined for a test event. */
export function purchaseIdOf(event: Event): string | undefined {
  return 'purchaseId' in event ? event.purchaseId : undefined;
}
