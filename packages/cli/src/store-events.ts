// Follows the events of all apps for `event follow`, and keeps the position in a file.

import { readFile, rename, writeFile } from 'node:fs/promises';
import type { OperatorClient, StorePosition, StoreStep } from '@opentill/client/operator';
import { fromNow } from '@opentill/contract/event-feed.ts';
import { pause } from '@opentill/server/for-command-line.ts';
import { UsageProblem } from './command-context.ts';
import { isPassing, retryEveryMs } from './event-feed.ts';
import type { Output } from './terminal/output.ts';

interface FollowedStore {
  readonly client: OperatorClient;
  readonly options: { readonly after: string; readonly position?: string; readonly skipGaps?: true };
  readonly output: Output;
  readonly ending: { readonly signal: AbortSignal };
  readonly onEvents: (events: StoreStep['events']) => void;
}

export async function followApps({
  client,
  options,
  output,
  ending,
  onEvents,
}: FollowedStore): Promise<never> {
  const { position: file, skipGaps } = options;
  let since = (file === undefined ? undefined : await findPosition(file)) ?? startOf(options.after);
  for (let isReported = false; ; ) {
    const save = async ({ events, position }: StoreStep): Promise<void> => {
      onEvents(events);
      if (file !== undefined) await replacePosition(file, position);
      since = position;
      isReported = false;
    };
    const onGap = skipGaps && (({ error }: { readonly error: Error }) => output.note(`${error.message}.`));
    try {
      return await client.followStore({ since, save, onGap }, ending);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isReported) output.note(`${error.message}; retrying every second.`);
      isReported = true;
      await pause(retryEveryMs, ending);
    }
  }
}

function startOf(after: string): StorePosition | 'now' {
  if (after === fromNow) return fromNow;
  if (after === '0') return {};
  throw new UsageProblem('--after: expected now or 0 for the events of all apps.');
}

/** undefined before the first start. */
async function findPosition(file: string): Promise<StorePosition | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageProblem(`--position: ${error.message}.`);
  });
  const position = text === undefined ? undefined : parsed(text);
  if (position === null) throw new UsageProblem(`--position: ${file} is not the file of a position.`);
  return position;
}

function parsed(text: string): StorePosition | null {
  try {
    const value: unknown = JSON.parse(text);
    const isPosition =
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((cursor) => typeof cursor === 'string');
    return isPosition ? (value as StorePosition) : null;
  } catch {
    return null;
  }
}

/** A command that is killed leaves the previous position or this one. */
async function replacePosition(file: string, position: StorePosition): Promise<void> {
  const written = `${file}.new`;
  await writeFile(written, JSON.stringify(position));
  await rename(written, file);
}
