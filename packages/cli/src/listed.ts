// Reads a paged list from the server, up to a limit.

import { pageSize } from '@opentill/contract/limits.ts';
import type { Command } from 'commander';
import { wholeNumber } from './arguments.ts';
import type { Output } from './terminal/output.ts';

export interface ListOptions {
  readonly limit: number;
}

const limitDefault = 50;
const limitMax = 1_000_000;

export function withLimit(command: Command): Command {
  return command.option(
    '--limit <number>',
    'maximum number of entries',
    wholeNumber(1, limitMax),
    limitDefault,
  );
}

interface PageParameters {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** Returns the first entries of a list and prints a note if there are more. */
export async function listed<Entry>(
  { limit }: ListOptions,
  output: Output,
  read: (
    page: PageParameters,
  ) => Promise<{ readonly entries: readonly Entry[]; readonly nextPageToken?: string }>,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const most = Math.min(limit, pageSize.max);
  for (let pageToken: string | undefined; ; ) {
    const page = await read({ pageSize: most, ...(pageToken !== undefined && { pageToken }) });
    entries.push(...page.entries);
    pageToken = page.nextPageToken;
    if (entries.length > limit || (entries.length === limit && pageToken !== undefined)) {
      output.note(`There are more than ${limit} entries: use --limit.`);
      return entries.slice(0, limit);
    }
    if (pageToken === undefined) return entries;
  }
}
