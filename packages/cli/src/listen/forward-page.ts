// Posts a page of events: those of one purchase or subscription one after another, others concurrently. An event that
// fails is retried every second, and finally skipped.

import type { Event } from '@opentill/client';
import {
  load,
  monotonicClock,
  pause,
  type SendOutcome,
  systemClock,
  type WebhookSender,
} from '@opentill/server/for-command-line.ts';
import { retryEveryMs } from '../event-feed.ts';

const { isDelivered, signatureHeaders } = await load.webhooks();

export interface ForwardedEvent {
  readonly event: Event;
  readonly outcome: SendOutcome;
  readonly isSkipped: boolean;
}

export interface ForwardOptions {
  readonly sender: WebhookSender;
  readonly url: URL;
  readonly secret: Buffer;
  readonly retryMs: number;
  readonly signal: AbortSignal;
  /** Called at the first failure of an event that will be retried. */
  readonly onFailed: (event: Event, outcome: SendOutcome) => void;
  readonly onDone: (done: ForwardedEvent) => void;
}

/** Rejects with the reason of the signal, when no event is being posted any more. */
export async function forwardPage(events: readonly Event[], options: ForwardOptions): Promise<void> {
  const groups = [...Map.groupBy(events, subjectOf).values()];
  const results = await Promise.allSettled(
    groups.map(async (ofSubject) => {
      for (const event of ofSubject) await forward(event, options);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function forward(
  event: Event,
  { sender, url, secret, retryMs, signal, onFailed, onDone }: ForwardOptions,
): Promise<void> {
  const begun = monotonicClock.now();
  const body = JSON.stringify(event);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const headers = signatureHeaders({ id: event.id, now: systemClock.now(), body }, [secret]);
    const outcome = await sender.send({ url, body, headers });
    // The sender was closed, which follows from the signal.
    if (outcome === undefined) throw signal.reason;
    if (isDelivered(outcome)) return onDone({ event, outcome, isSkipped: false });
    if (monotonicClock.now() - begun >= retryMs) return onDone({ event, outcome, isSkipped: true });
    if (attempt === 1) onFailed(event, outcome);
    await pause(retryEveryMs, { signal });
  }
}

/** The events of all periods of a subscription are in one sequence, as in webhooks. */
function subjectOf(event: Event): string {
  if ('firstPurchaseId' in event && event.firstPurchaseId !== undefined) return event.firstPurchaseId;
  return purchaseIdOf(event) ?? event.id;
}

/** undefined for a test event. */
export function purchaseIdOf(event: Event): string | undefined {
  return 'purchaseId' in event ? event.purchaseId : undefined;
}
