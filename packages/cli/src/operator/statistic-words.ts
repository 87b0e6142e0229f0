// How statistics are printed: the columns of which a balance consists.

import type { Statistics } from '@opentill/contract/statistics.ts';
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
    ...fields<Row>('currency', 'sold', 'soldAmount'),
    renewed: ({ renewedFirst, renewedLater }) => renewedFirst + renewedLater,
    ...fields<Row>('voided', 'voidedAmount'),
    remainingAmount: ({ soldAmount, voidedAmount }) => soldAmount - voidedAmount,
    ...fields<Row>('active'),
  };
}

export const statisticWords: CommandWords = {
  operation: 'getStatistics',
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
