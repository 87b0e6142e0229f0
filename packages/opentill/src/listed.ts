// A list of the server, page after page, up to as many entries as were asked for.

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
  return command.option('--limit <number>', 'print so many at most', wholeNumber(1, limitMax), limitDefault);
}

interface PageParameters {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** The first entries of a list; a note says where there are more. */
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
      output.note(`There are more than ${limit}: say --limit.`);
      return entries.slice(0, limit);
    }
    if (pageToken === undefined) return entries;
  }
}
