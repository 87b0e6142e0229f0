// How statistics are printed: the columns of which a balance consists; and how a command waits until they are complete.

import type { Statistics } from '@opentill/contract/statistics.ts';
import { pause, StartProblem } from '@opentill/server/for-command-line.ts';
import type { ServerCall } from '../server-call.ts';
import type { Columns } from '../terminal/output.ts';
import { fields } from './named-commands.ts';
import type { CommandWords } from './operator-command.ts';

type Row = Statistics['rows'][number];

const groups: Columns<Row> = {
  packageName: ({ packageName }) => packageName,
  productId: ({ productId }) => productId,
};

function columnsOf(rows: readonly Row[]): Columns<Row> {
  const grouped = Object.entries(groups).filter(([, value]) => rows.some((row) => value(row) !== undefined));
  return {
    ...fields<Row>('period'),
    ...Object.fromEntries(grouped),
    ...fields<Row>('currency', 'sold', 'soldAmount', 'trials'),
    renewed: ({ renewedFirst, renewedLater }) => renewedFirst + renewedLater,
    ...fields<Row>('voided', 'voidedAmount'),
    remainingAmount: ({ soldAmount, voidedAmount }) => soldAmount - voidedAmount,
    ...fields<Row>('active'),
  };
}

/** A change is counted within seconds, and an imported store in minutes. */
const waitMinutesMax = 10;

const repeatEveryMs = 1_000;

async function untilCounted(
  send: () => Promise<Statistics>,
  { output, ending }: ServerCall<unknown>,
): Promise<Statistics> {
  const deadline = AbortSignal.timeout(waitMinutesMax * 60_000);
  const { calledAt } = await send();
  output.note('Waiting until everything before this call is counted.');
  while (!deadline.aborted) {
    await pause(repeatEveryMs, ending);
    const response = await send();
    if (response.countedUntil !== undefined && response.countedUntil > calledAt) return response;
  }
  throw new StartProblem(
    `Not everything before this call was counted within ${waitMinutesMax} minutes: repeat it, or read what is counted without --wait.`,
  );
}

export const statisticWords: CommandWords = {
  operation: 'getStatistics',
  wait: {
    meaning: `repeat the call until everything before the first one is counted, for at most ${waitMinutesMax} minutes`,
    untilComplete: untilCounted,
  },
  shown: ({ rows, before, unpaid, ...rest }: Statistics) => ({
    fields: rest,
    lists: [
      {
        name: 'before',
        rows: before,
        columns: fields<Statistics['before'][number]>('currency', 'active') as Columns<object>,
      },
      {
        name: 'unpaid',
        rows: unpaid,
        columns: fields<Statistics['unpaid'][number]>('currency', 'subscriptions') as Columns<object>,
      },
      { name: 'rows', rows, columns: columnsOf(rows) as Columns<object> },
    ],
  }),
};
