// Advances the clock of an app, and returns when everything that falls due until then has happened, in order of time
// (docs/decisions/sandbox.md).

import { happenedMax } from '@opentill/contract/clock-resources.ts';
import { advanceClock as operation } from '@opentill/contract/operator-api/advanceClock.ts';
import PQueue from 'p-queue';
import { renewInAdvance } from '../../charging/renew-in-advance.ts';
import type { RenewalOptions } from '../../charging/renewal-options.ts';
import { hasTimesLeft } from '../../domain/sandbox/faults.ts';
import { batchOf, renewalAuthor } from '../../domain/subscriptions/renewal.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import { pause } from '../../runtime/pause.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import { countHappenedEvents, listHappenedEvents } from '../../store/events/happened-events.ts';
import type { FaultRow, SandboxState } from '../../store/sandbox/sandbox-state.ts';
import { listDueRenewalsOfApp } from '../../store/subscriptions/due-renewals.ts';
import { isPaused } from '../../store/subscriptions/renewal-pauses.ts';
import { publicEvent } from '../events/public-event.ts';
import { type OperatorHandler, operatorHandler, type ResponseOf, responded } from '../operator-handler.ts';
import { noSuchApp, Overload, Refusal } from '../refusal.ts';
import {
  type AdvanceAim,
  type AdvanceStore,
  advanceInFlight,
  type BegunAdvance,
  beginAdvance,
  type ClockLease,
} from './clock-lease.ts';

/** Advances that one server runs at once; each keeps a part of the database busy. */
const advancesAtOnceMax = 4;

/** Advances that wait for a slot; more could not get one in time. */
const advancesWaitingMax = 1_000;

/** An advance without a slot after this time, in ms, is rejected. */
const advanceWaitMs = 30_000;

/** Due items that one advance processes; more are a mistake rather than a test. */
const advanceItemsMax = 1_000_000;

/** An advance that takes longer stops where it is, in ms: most clients time out after 300 s. */
const advanceWithinMs = 240_000;

/** Items that share two transactions, each of which stays far below its time limit. */
const batchMax = 200;

/** Items that another server has locked are listed again after this time, in ms. */
const lockedPauseMs = 50;

/** How often the lease of another server is polled, in ms, to find out whether it is extended. */
const leasePollMs = 250;

/** After this many polls the lease has been extended or has ended. */
const leasePollsMax = 24;

export interface AdvanceOptions extends AdvanceStore {
  readonly renewals: RenewalOptions;
  readonly readSandboxState: (packageName: string) => Promise<SandboxState>;
  readonly isStopping: () => boolean;
  readonly testing?: {
    /** Lower than advanceItemsMax. */
    readonly itemsMax: number;
  };
}

interface AdvanceRequest extends AdvanceAim {
  readonly requestId: string;
}

type Advance =
  | {
      readonly kind: 'done';
      readonly now: number;
      readonly count: number;
      readonly happened: readonly EventRow[];
      readonly eventsAfter: number;
    }
  /** The advance ended early, and continues if it is called again with the same `to`. */
  | {
      readonly kind: 'tooMuch' | 'tooLong' | 'stopping' | 'lost';
      readonly to: number;
      readonly now: number;
    }
  | { readonly kind: 'queueFull' | 'alreadyHere' }
  | Exclude<BegunAdvance, { kind: 'begun' }>;

type AdvanceResponse = ResponseOf<typeof operation>;

export function advanceClock(options: AdvanceOptions): OperatorHandler {
  const { database } = options.store;
  const advance = clockAdvancer(options);
  return operatorHandler(
    operation,
    async ({ path, body, author, recordAction }): Promise<AdvanceResponse> => {
      const { packageName } = path;
      if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
      const { by, to } = body;
      const { requestId } = author;
      return advanceResponse(await advance({ packageName, by, to, requestId, recordAction }), packageName);
    },
  );
}

/** Advances clocks, a few at once and one per app; others wait in a queue. An advance that failed continues when it is called again. */
export function clockAdvancer(options: AdvanceOptions): (request: AdvanceRequest) => Promise<Advance> {
  const queue = new PQueue({ concurrency: advancesAtOnceMax });
  const advanceInTurn = async (request: AdvanceRequest): Promise<Advance> => {
    const [begun, late] = [new AbortController(), new AbortController()];
    pause(advanceWaitMs, { signal: begun.signal }).then(
      () => late.abort(),
      () => undefined,
    );
    const beginAndAdvance = () => {
      begun.abort();
      return advanceApp(options, request);
    };
    try {
      return await queue.add(beginAndAdvance, { signal: late.signal });
    } catch (error) {
      if (late.signal.aborted) return { kind: 'queueFull' };
      throw error;
    }
  };
  // Apps whose advance runs or waits in this process: another one would use up a slot to wait for the first.
  const advancing = new Set<string>();
  return async (request) => {
    const { packageName } = request;
    if (advancing.has(packageName)) return { kind: 'alreadyHere' };
    if (queue.size >= advancesWaitingMax) return { kind: 'queueFull' };
    advancing.add(packageName);
    try {
      return await advanceInTurn(request);
    } finally {
      advancing.delete(packageName);
    }
  };
}

async function advanceApp(options: AdvanceOptions, request: AdvanceRequest): Promise<Advance> {
  const { database } = options.store;
  const begun = await acquireLease(options, request);
  if (begun.kind !== 'begun') return begun;
  const { lease, to } = begun;
  const end = await lease.keepDuring(() => passTime(options, { request, lease, to }));
  const released = end === 'done' ? { appTime: to, advanceTo: null } : { appTime: lease.now, advanceTo: to };
  const isLost = end === 'lost' || !(await lease.release(released));
  if (isLost) return { kind: 'lost', to, now: lease.now };
  if (end !== 'done') return { kind: end, to, now: lease.now };
  const { packageName, requestId } = request;
  const of = { packageName, requestId, after: begun.eventsAfter };
  const happened = await listHappenedEvents(database, { ...of, limit: happenedMax });
  const eventsAfter = happened.at(-1)?.order ?? begun.eventsAfter;
  const count = happened.length + (await countHappenedEvents(database, { ...of, after: eventsAfter }));
  return { kind: 'done', now: lease.now, count, happened, eventsAfter };
}

/** A call with the same `to` waits until the lease of a dead server ends; a running server extends its own. */
async function acquireLease(options: AdvanceOptions, request: AdvanceRequest): Promise<BegunAdvance> {
  let firstLeaseUntil: number | undefined;
  for (let polls = 0; ; polls += 1) {
    const begun = await beginAdvance(options, request);
    if (begun.kind !== 'inFlight' || begun.aim !== request.to) return begun;
    firstLeaseUntil ??= begun.leaseUntil;
    if (begun.leaseUntil > firstLeaseUntil || polls >= leasePollsMax) return begun;
    await pause(leasePollMs);
  }
}

async function passTime(
  { store: { database }, renewals, readSandboxState, isStopping, testing }: AdvanceOptions,
  {
    request,
    lease,
    to,
  }: { readonly request: AdvanceRequest; readonly lease: ClockLease; readonly to: number },
): Promise<'done' | 'tooMuch' | 'tooLong' | 'stopping' | 'lost'> {
  const { packageName, requestId } = request;
  const author = { madeBy: renewalAuthor, requestId };
  const deadline = performance.now() + advanceWithinMs;
  let room = testing?.itemsMax ?? advanceItemsMax;
  for (;;) {
    if (isStopping()) return 'stopping';
    if (performance.now() >= deadline) return 'tooLong';
    if (await isPaused(database, { packageName, isDistributed: database.isDistributed })) return 'done';
    const limit = Math.max(1, Math.min(batchMax, room));
    const of = { packageName, until: to, limit };
    const listed = await listDueRenewalsOfApp(database, of);
    if (listed.length === 0) return 'done';
    if (room <= 0) return 'tooMuch';
    const { faults } = await readSandboxState(packageName);
    const due = batchOf(listed, { isPaid: faults.every(paysAtOnce) });
    const written = await renewInAdvance(renewals, { packageName, author, due, lease });
    if (written === 'leaseLost') return 'lost';
    room -= written;
    if (written === 0) await pause(lockedPauseMs);
  }
}

/** Whether charges are paid in spite of a fault: the simulated gateway approves those to which none applies. */
function paysAtOnce(fault: FaultRow): boolean {
  return fault.operation !== 'charge' || !hasTimesLeft(fault, fault.applied);
}

function advanceResponse(advanced: Advance, packageName: string): AdvanceResponse {
  switch (advanced.kind) {
    case 'done': {
      const { now, count, happened, eventsAfter } = advanced;
      const events = happened.map((row) => publicEvent(row, { environment: 'sandbox', packageName }));
      return responded(200, { now, count, happened: events, eventsAfter });
    }
    case 'refused': {
      const { field, message } = advanced;
      const errors = [{ path: field === undefined ? '' : `/${field}`, message }];
      return new Refusal('invalidRequest', `${field ?? 'body'}: ${message}.`, errors);
    }
    case 'queueFull':
      return new Overload('This server is advancing too many clocks. Try again later.');
    case 'inFlight':
    case 'alreadyHere':
      return new Refusal('conflict', advanceInFlight);
    case 'stopping':
      return new Refusal('unavailable', `The server is shutting down: ${continuation(advanced)}`);
    default:
      return new Refusal('conflict', `${earlyEnds[advanced.kind]}: ${continuation(advanced)}`);
  }
}

const earlyEnds = {
  lost: 'The app was reset, or another server took over its clock',
  tooMuch: 'More items are due than one call can process',
  tooLong: 'The advance exceeded the time limit of one call',
} as const;

function continuation({ now, to }: { readonly now: number; readonly to: number }): string {
  return `the clock is at ${quoteInstant(now)}. To continue, repeat the call with "to": ${quoteInstant(to)}.`;
}
