// One round of deliveries to the webhook of an app: read, send, write (docs/architecture.md). The
// events of a subject are sent in order, and none overtakes one that failed.

import PQueue from 'p-queue';
import { webhookLeaseMs } from '../../domain/clocks/leases.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { appNow, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { minuteMs } from '../../domain/time.ts';
import { parseWebhookUrl, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { previousSecretEnd, signatureHeaders } from '../../domain/webhooks/webhook-signature.ts';
import { deliveredEvent, type EventScope } from '../../operations/events/public-event.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { JobDatabase } from '../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import {
  type DeliveryRecord,
  type DueDelivery,
  type Endpoint,
  listDueDeliveries,
  listNewEvents,
  type NewEvent,
  readEndpoint,
  type WebhookLease,
  writeRound,
} from '../../store/webhooks/delivery-rounds.ts';
import {
  type Attempt,
  type DeliveryTimes,
  heldRecord,
  isEndedByReceiver,
  recordAfter,
  recordOfRemovedEvent,
  subjectOf,
} from './delivery-record.ts';
import { isDelivered, type SendOutcome, unsentOutcome, type WebhookSender } from './webhook-sender.ts';

/** Due deliveries, and new events, that a round reads, each of some kilobytes. */
const readMax = 256;

/** Subjects with an attempt in flight, each with a connection. */
const groupsAtOnceMax = 32;

/** A round starts no attempt after this time, in ms: what was not sent is read again by the next one. */
const startWithinMs = 5_000;

/** The clock of a server counts the time since the start of a round up to this, in ms: beyond it, the clock has jumped. */
const elapsedMaxMs = 15_000;

/** An attempt that does not count is retried after this time, in ms. */
const uncountedRetryMs = minuteMs;

/** How an attempt ended: `failed` is retried, `dead` was the last one. */
type AttemptEnd = 'delivered' | 'failed' | 'dead';

export interface RoundSettings {
  readonly database: JobDatabase;
  readonly clock: StoreClock;
  readonly environment: Environment;
  readonly rules: WebhookRules;
  readonly sender: WebhookSender;
  readonly randomness: Randomness;
  readonly onAttempt: (end: AttemptEnd) => void;
  /** False if other webhooks wait for this one to release its lease. */
  readonly mayGoOn: () => boolean;
  readonly stopping: AbortSignal;
}

/**
 * Returns whether the webhook may have more to deliver and keeps its lease; it is lost or released otherwise. A round that
 * fails keeps the lease until it expires; then its deliveries are retried.
 */
export async function deliverRound(settings: RoundSettings, lease: WebhookLease): Promise<boolean> {
  const { database, clock, mayGoOn, stopping } = settings;
  // Read.
  const webhook = await readWebhook(settings, lease);
  if (webhook === undefined) return false;
  const { scope, instants } = webhook;
  const { due, events, isAll } = await readWork(settings, webhook);
  // Send.
  const round = groupSender(settings, webhook);
  const sending = new PQueue({ concurrency: groupsAtOnceMax });
  await sending.addAll(groupsOf(due, events).map((group) => () => round.send(group)));
  // Write.
  const { attempts, held, unsent, faults } = round;
  const isAllDelivered = attempts.every(({ outcome }) => isDelivered(outcome));
  // While time-driven work is held, failures do not count.
  const isHeld = !isAllDelivered && (await clock.read(database, scope.packageName)).hold !== undefined;
  const uncountedUntil = isHeld ? instants().now + uncountedRetryMs : undefined;
  const ended = [
    ...attempts.map((attempt) => recordAfter(attempt, { scope, uncountedUntil, ...settings })),
    ...due
      .filter(({ event }) => event === undefined)
      .map(({ delivery }) => recordOfRemovedEvent(delivery, instants())),
  ];
  for (const { state } of ended)
    settings.onAttempt(state === 'delivered' || state === 'dead' ? state : 'failed');
  const behind = [...events.filter(({ isBehind }) => isBehind), ...held];
  const isPlain = due.length === 0 && behind.length === 0 && isAllDelivered;
  const isDone = (isAll && isPlain && unsent.length === 0) || round.isSilent();
  const goesOn = !isDone && mayGoOn() && !stopping.aborted;
  const result = {
    cursorOrder: cursorAfter(webhook, events, unsent),
    // After an internal error, keep the lease until it expires: a retry would fail the same way.
    leaseUntil: goesOn || faults.length > 0 ? clock.now() + webhookLeaseMs : null,
    records: [...ended, ...behind.map((event) => heldRecord(event, scope))],
    releasedAt: isPlain ? undefined : instants().now,
  };
  const isWritten = await writeRound(database, lease, result).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    // A lock or a connection may have been lost; without the write, everything is sent again.
    return writeRound(database, lease, result);
  });
  if (faults.length > 0) throw faults[0];
  return isWritten && goesOn;
}

/** A webhook and the clock of its app, as they were when the round began. */
interface RoundWebhook extends Pick<Endpoint, 'cursorOrder' | 'lastEventOrder' | 'nextDueTime'> {
  readonly scope: EventScope;
  /** undefined if the rules, which may have changed since the URL was set, forbid it. */
  readonly url: URL | undefined;
  /** Nothing may be sent: the app is disabled, or its clock is being advanced. */
  readonly isPaused: boolean;
  /** By the database's clock. */
  instants(): DeliveryTimes;
  secretsAt(realNow: number): [Buffer, ...Buffer[]];
}

/** Returns undefined if the lease is lost. */
async function readWebhook(
  { database, clock, environment, rules }: RoundSettings,
  lease: WebhookLease,
): Promise<RoundWebhook | undefined> {
  const { packageName } = lease;
  const endpoint = await readEndpoint(database, lease);
  if (endpoint === undefined) return undefined;
  const readAt = clock.now();
  const { secret, previousSecret, previousSecretUntil } = endpoint;
  const realTime = Math.max(endpoint.databaseNow, clock.floor);
  const appClock = endpoint.appClock ?? undefined;
  const url = parseWebhookUrl(endpoint.url, rules);
  return {
    ...endpoint,
    scope: { environment, packageName },
    url: 'problem' in url ? undefined : url,
    isPaused: endpoint.isDisabled || isAdvancing(appClock, realTime),
    instants() {
      const realNow = realTime + Math.min(Math.max(0, clock.now() - readAt), elapsedMaxMs);
      return { realNow, now: appNow(appClock, realNow) };
    },
    secretsAt(realNow) {
      const isRotating =
        previousSecret !== null && previousSecretEnd(previousSecretUntil, realNow) !== undefined;
      return isRotating ? [secret, previousSecret] : [secret];
    },
  };
}

interface Work {
  readonly due: readonly DueDelivery[];
  readonly events: readonly NewEvent[];
  /** False if there may be more. */
  readonly isAll: boolean;
}

async function readWork(
  { database }: RoundSettings,
  {
    scope: { packageName },
    nextDueTime,
    cursorOrder: after,
    lastEventOrder,
    isPaused,
    instants,
  }: RoundWebhook,
): Promise<Work> {
  if (isPaused) return { due: [], events: [], isAll: true };
  const [limit, until] = [readMax, instants().now];
  const [due, events] = await Promise.all([
    nextDueTime !== null && nextDueTime <= until
      ? listDueDeliveries(database, { packageName, until, limit })
      : [],
    after < lastEventOrder ? listNewEvents(database, { packageName, after, limit }) : [],
  ]);
  return { due, events, isAll: due.length < limit && events.length < limit };
}

/** Events that are sent one after another: the new ones of a subject, or that of one due delivery. */
interface Group {
  readonly events: readonly EventRow[];
  /** undefined for new events. */
  readonly before: DeliveryRecord | undefined;
}

/** Retries and new events alternate, so neither starves. */
function groupsOf(due: readonly DueDelivery[], events: readonly NewEvent[]): Group[] {
  const retries = due.flatMap(({ event, delivery }): Group[] =>
    event === undefined ? [] : [{ events: [event], before: delivery }],
  );
  const free = events.filter(({ isBehind }) => !isBehind);
  const ofSubjects = Map.groupBy(free, (event) => subjectOf(event) ?? event.order);
  const fresh = [...ofSubjects.values()].map((own): Group => ({ events: own, before: undefined }));
  const count = Math.max(retries.length, fresh.length);
  const pairs = Array.from({ length: count }, (_, index) => [retries[index], fresh[index]]);
  return pairs.flat().filter((group) => group !== undefined);
}

/** Sends groups, each in order and up to its first failure, and collects what became of them. */
function groupSender({ sender, stopping }: RoundSettings, webhook: RoundWebhook) {
  const startUntil = performance.now() + startWithinMs;
  const attempts: Attempt[] = [];
  const held: EventRow[] = [];
  const unsent: Group[] = [];
  const faults: unknown[] = [];
  let begunCount = 0;
  const hasResponse = () => attempts.some(({ outcome }) => outcome.httpStatus !== undefined);

  /** Returns undefined for an attempt that was not begun, or aborted: whether the event arrived is unknown. */
  const post = async (event: EventRow, { realNow }: DeliveryTimes): Promise<SendOutcome | undefined> => {
    // A receiver that is away gets one attempt of each of the first groups, and costs little.
    const isAway = begunCount >= groupsAtOnceMax && !hasResponse();
    if (stopping.aborted || isAway || performance.now() >= startUntil) return undefined;
    begunCount += 1;
    if (webhook.url === undefined) return unsentOutcome('addressRefused');
    const { id, body } = deliveredEvent(event, webhook.scope);
    const headers = signatureHeaders({ id, now: realNow, body }, webhook.secretsAt(realNow));
    return sender.send({ url: webhook.url, body, headers });
  };

  const send = async ({ events, before }: Group): Promise<void> => {
    for (const [index, event] of events.entries()) {
      const begun = webhook.instants();
      // A fault is a bug, which must not keep other events of the app from being delivered.
      const outcome = await post(event, begun).catch((error: unknown) => void faults.push(error));
      if (outcome === undefined) {
        unsent.push({ events: events.slice(index), before });
        return;
      }
      attempts.push({ event, before, begun, outcome });
      if (!isDelivered(outcome) && !isEndedByReceiver(outcome)) {
        held.push(...events.slice(index + 1));
        return;
      }
    }
  };
  return { send, attempts, held, unsent, faults, isSilent: () => attempts.length > 0 && !hasResponse() };
}

/** All events up to this order have a delivery after the round, or need none. */
function cursorAfter(
  { cursorOrder, lastEventOrder, isPaused }: RoundWebhook,
  events: readonly NewEvent[],
  unsent: readonly Group[],
): number {
  if (isPaused) return cursorOrder;
  const lastRead = events.length < readMax ? lastEventOrder : (events.at(-1)?.order ?? cursorOrder);
  const left = unsent.filter(({ before }) => before === undefined).flatMap((group) => group.events);
  return Math.min(Math.max(cursorOrder, lastRead), ...left.map(({ order }) => order - 1));
}
