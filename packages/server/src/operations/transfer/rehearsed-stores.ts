// The subscriptions of a store that a rehearsal reads: of a database at one instant, or of an export.

import type { ClientConfig } from 'pg';
import { wholeStore } from '../../domain/identifiers.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { eachPackageName } from '../../store/apps/apps.ts';
import { listPausedPackageNames } from '../../store/subscriptions/renewal-pauses.ts';
import { isEnd, requireHeader } from '../../store/transfer/header.ts';
import { readImportLine } from '../../store/transfer/import-line.ts';
import {
  countRehearsed,
  type LineValues,
  type RehearsedSubscription,
  readRehearsed,
  rehearsedFromLine,
} from '../../store/transfer/rehearsed-subscriptions.ts';
import { openSnapshot } from '../../store/transfer/store-snapshot.ts';
import { type JsonObject, jsonSource } from './import-source.ts';

export interface RehearsedStore {
  /** Apps in which nothing is charged, complete when all is read; `wholeStore` if that is true of all. */
  readonly pausedApps: Set<string>;
  /** The subscriptions of all other apps that fall due some time. */
  read(): AsyncGenerator<readonly RehearsedSubscription[], void, undefined>;
}

/** `onProgress` is called with the subscriptions that were read. */
export function storeOfDatabase(
  connection: ClientConfig,
  onProgress: ((done: number, total: number) => void) | undefined,
): RehearsedStore {
  const pausedApps = new Set<string>();
  return {
    pausedApps,
    async *read() {
      const { session } = await openSnapshot(connection);
      await using _ = session;
      for (const packageName of await listPausedPackageNames(session)) pausedApps.add(packageName);
      if (pausedApps.has(wholeStore)) return;
      const total = onProgress === undefined ? 0 : await countRehearsed(session);
      let done = 0;
      for await (const packageName of eachPackageName(session)) {
        if (pausedApps.has(packageName)) continue;
        for await (const batch of readRehearsed(session, packageName)) {
          yield batch;
          done += batch.length;
          onProgress?.(done, total);
        }
      }
    },
  };
}

/** An app of an export: its attempts follow its subscriptions. */
interface ReadApp {
  readonly packageName: string;
  readonly subscriptions: Map<string, LineValues>;
  readonly newest: Map<string, LineValues>;
}

export function storeOfExport(input: AsyncIterable<Buffer>): RehearsedStore {
  const pausedApps = new Set<string>();
  return {
    pausedApps,
    async *read() {
      let app: ReadApp | undefined;
      for await (const { kind, packageName, values } of linesOf(input)) {
        if (kind === 'app') {
          yield* finished(app, pausedApps);
          app = { packageName, subscriptions: new Map(), newest: new Map() };
        }
        const id = String(values['firstPurchaseId']);
        if (kind === 'renewalPause' || values['disabledAt'] !== undefined) pausedApps.add(packageName);
        if (kind === 'subscription') app?.subscriptions.set(id, values);
        // They are in their order.
        if (kind === 'renewalAttempt') app?.newest.set(id, values);
      }
      yield* finished(app, pausedApps);
    },
  };
}

/** Subscriptions that are converted at a time, since the objects of all of them would double the memory. */
const batchMax = 1_000;

function* finished(
  app: ReadApp | undefined,
  pausedApps: ReadonlySet<string>,
): Generator<readonly RehearsedSubscription[], void, undefined> {
  if (app === undefined || pausedApps.has(app.packageName) || pausedApps.has(wholeStore)) return;
  const { packageName, subscriptions, newest } = app;
  let batch: RehearsedSubscription[] = [];
  for (const [id, values] of subscriptions) {
    batch.push(rehearsedFromLine({ ...values, packageName }, newest.get(id)));
    if (batch.length < batchMax) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

const readKinds = new Set(['app', 'subscription', 'renewalAttempt', 'renewalPause']);

/** The lines of the kinds that are read, without what is about buyers. */
async function* linesOf(
  input: AsyncIterable<Buffer>,
): AsyncGenerator<{ kind: string; packageName: string; values: LineValues }> {
  let [isFirst, isComplete] = [true, false];
  for await (const chunk of jsonSource(input).chunks()) {
    for (const line of chunk) {
      if ('problem' in line) throw new StartProblem(`${line.place.name}: ${line.problem}.`);
      if (isFirst) requireHeader(line.object);
      const object: JsonObject = line.object ?? {};
      isComplete = isEnd(object);
      if (!isFirst && readKinds.has(String(object['kind']))) {
        const read = readImportLine(line.place, object);
        if ('problem' in read) throw new StartProblem(`${line.place.name}: ${read.problem}.`);
        const { buyerId: _, developerPayload: __, ...values } = read.values;
        yield { kind: read.kind.kind, packageName: read.packageName, values };
      }
      isFirst = false;
    }
  }
  if (!isComplete)
    throw new StartProblem('Expected {"kind":"end"} as the last line of the export: it was cut off.');
}
