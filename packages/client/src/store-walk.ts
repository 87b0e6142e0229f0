// Follows the events of all apps of a store: polls the list of apps, and reads the feeds of those with new events.

import type { CallOptions } from './call-options.ts';
import type { OperatorOperations } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';
import { eachPage } from './pages.ts';
import type { Timing } from './timing.ts';

type Operator = Pick<OperatorOperations, 'listApps' | 'listEvents'>;
type EventPage = Awaited<ReturnType<Operator['listEvents']>>;
type ListedApp = Awaited<ReturnType<Operator['listApps']>>['apps'][number];

/** The cursor in the events of each app; can be stored as JSON. */
export type StorePosition = Readonly<Record<string, string>>;

/** One step of followStore: a page of the events of one app. */
export interface StoreStep {
  /** In their order; empty if only the position advances. */
  readonly events: EventPage['events'];
  /** Store it with the effects of the events. */
  readonly position: StorePosition;
}

/** Events of an app that were removed before they were read, or that a restored backup does not have. */
export interface StoreGap {
  readonly packageName: string;
  /** The cursor after which events are missing. */
  readonly after: string;
  /** The order of the next event that is available, or that will be. */
  readonly nextOrder: number;
  readonly error: OpenTillError;
}

/** Where followStore starts, and the functions that it calls. */
export interface StoreFollow {
  /** The last position passed to `save`; `now`, or {} for the first event of every app. */
  readonly since: StorePosition | 'now';
  readonly save: (step: StoreStep) => void | Promise<void>;
  /** Called before the events after a gap are read; by default, its error is thrown. */
  readonly onGap?: ((gap: StoreGap) => void | Promise<void>) | undefined;
}

const pollEveryMs = 1_000;

/** A clock that was set forward must not delay the next poll for longer. */
const restMaxMs = 30_000;

/** Entries per page of both lists, which are the largest ones, and apps whose events are read at the same time. */
const appsPerPage = 1_000;
const eventsPerPage = 200;
const appsAtOnce = 8;

interface Walk {
  readonly operator: Operator;
  readonly timing: Timing;
  readonly options: CallOptions;
}

export async function followStore({ since, save, onGap }: StoreFollow, walk: Walk): Promise<never> {
  const { timing, options } = walk;
  let position = since === 'now' ? undefined : since;
  const advance = async (packageName: string, { events, cursor }: EventPage): Promise<void> => {
    position = { ...position, [packageName]: cursor };
    await save({ events, position });
  };
  const finish = async (app: ListedApp, first: ReadPage): Promise<void> => {
    for (let read = first; ; ) {
      if (read.gap !== undefined) await (onGap ?? throwGap)(read.gap);
      await advance(app.packageName, read.page);
      const { cursor } = read.page;
      if (orderOf(cursor) >= app.eventOrder) return;
      read = await readPage(walk, app, cursor);
    }
  };
  for (;;) {
    const startedAt = timing.now();
    const apps = await listApps(walk);
    const listMs = timing.now() - startedAt;
    if (position === undefined) {
      position = Object.fromEntries(apps.map((app) => [app.packageName, String(app.eventOrder)]));
      await save({ events: [], position });
    }
    const from = position;
    const moved = apps.filter((app) => orderOf(cursorOf(from, app)) !== app.eventOrder);
    for (let first = 0; first < moved.length; first += appsAtOnce) {
      const some = moved.slice(first, first + appsAtOnce);
      const pages = await Promise.all(some.map((app) => readPage(walk, app, cursorOf(from, app))));
      for (const [index, app] of some.entries()) await finish(app, pages[index] as ReadPage);
    }
    const restMs = Math.max(listMs, pollEveryMs - (timing.now() - startedAt));
    await timing.wait(Math.min(restMs, restMaxMs), options.signal);
  }
}

async function listApps({ operator, options }: Walk): Promise<ListedApp[]> {
  const read = (page: object) => operator.listApps({ pageSize: appsPerPage, ...page }, options);
  const apps: ListedApp[] = [];
  for await (const page of eachPage(read)) apps.push(...page.apps);
  return apps;
}

interface ReadPage {
  readonly page: EventPage;
  readonly gap?: StoreGap;
}

/** The events after the cursor, or after a gap the oldest ones. */
async function readPage(
  { operator, options }: Walk,
  { packageName, eventOrder }: ListedApp,
  after: string,
): Promise<ReadPage> {
  const query = { packageName, pageSize: eventsPerPage };
  try {
    return { page: await operator.listEvents({ ...query, after }, options) };
  } catch (error) {
    // A restored backup may end before the cursor.
    const isGap = (status: unknown) => status === 410 || (status === 400 && orderOf(after) > eventOrder);
    if (!(error instanceof OpenTillError && isGap(error.httpStatus))) throw error;
    const page = await operator.listEvents(query, options);
    const nextOrder = page.events[0]?.order ?? orderOf(page.cursor) + 1;
    const missing = `the events of ${packageName} after ${after} are no longer available; the next one is ${nextOrder}`;
    const { httpStatus, requestId } = error;
    const gapError = new OpenTillError('followStore', missing, { httpStatus, requestId });
    return { page, gap: { packageName, after, nextOrder, error: gapError } };
  }
}

function throwGap({ error }: StoreGap): never {
  throw error;
}

/** A new app starts at its first event. */
function cursorOf(position: StorePosition, { packageName }: ListedApp): string {
  return (Object.hasOwn(position, packageName) ? position[packageName] : undefined) ?? '0';
}

/** The order in a cursor, which is an order or the id of an event. */
function orderOf(cursor: string): number {
  return Number(/\d+/.exec(cursor)?.[0]);
}
