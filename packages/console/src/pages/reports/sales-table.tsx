// What was sold, voided and remains, by product or app: the best sellers, and a last line for each currency.

import { Stack } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { type Column, Records } from '../../parts/records.tsx';
import { SaveButton } from '../../parts/save-button.tsx';
import { ShortName } from '../../values/long-text.tsx';
import { Money } from '../../values/money.tsx';
import { type Sales, salesByCurrency } from './statistic-series.ts';

interface SalesLine extends Sales {
  /** "Total" and "Others" instead of an app. */
  readonly label?: string;
  readonly packageName?: string;
  readonly productId?: string;
}

interface SalesTableProps {
  readonly title: string;
  /** The best sellers first; none for a table of the totals alone. */
  readonly lines: readonly SalesLine[];
  /** A line for each currency. */
  readonly totals: readonly Sales[];
  readonly by?: 'product' | 'app';
  /** Makes the call whose response has all lines. */
  readonly save?: (client: SessionClient) => Promise<unknown>;
}

/** The lines of the table; the file has all. */
const shownMax = 20;

const appColumn: Column<SalesLine> = {
  title: 'App',
  cell: ({ packageName, label }) =>
    packageName === undefined ? (
      <b>{label}</b>
    ) : (
      <PageLink {...linkTo.app(packageName)} inherit>
        <ShortName text={packageName} />
      </PageLink>
    ),
};

const productColumn: Column<SalesLine> = {
  title: 'Product',
  cell: ({ productId }) => productId !== undefined && <ShortName text={productId} />,
};

const netOf = ({ soldAmount, voidedAmount }: Sales): number => soldAmount - voidedAmount;

const amount = (title: string, amountOf: (line: Sales) => number): Column<SalesLine> => ({
  ...{ title, align: 'right' },
  cell: (line) => <Money price={amountOf(line)} currency={line.currency} />,
});

const salesColumns: readonly Column<SalesLine>[] = [
  { title: 'Currency', cell: ({ currency }) => currency },
  { title: 'Sales', cell: ({ sold }) => sold, align: 'right' },
  amount('Sold', ({ soldAmount }) => soldAmount),
  { title: 'Trials', cell: ({ trials }) => trials, align: 'right' },
  { title: 'Voids', cell: ({ voided }) => voided, align: 'right' },
  amount('Voided', ({ voidedAmount }) => voidedAmount),
  amount('Net', netOf),
];

const keyColumns = { none: [], app: [appColumn], product: [appColumn, productColumn] } as const;

export function SalesTable({ title, lines, totals, by, save }: SalesTableProps) {
  const columns = [...keyColumns[by ?? 'none'], ...salesColumns];
  const lastLines: readonly SalesLine[] = totals.map((total) => ({ ...total, label: 'Total' }));
  const currencies = totals.map(({ currency }) => currency);
  const sorted = lines.toSorted(
    (left, right) => currencies.indexOf(left.currency) - currencies.indexOf(right.currency),
  );
  const withRest = (shown: readonly SalesLine[]) => [...shown, ...restOf(shown, totals), ...lastLines];
  const rows = by === undefined ? lastLines : withRest(sorted.slice(0, shownMax));
  return (
    <Stack gap="xs" align="stretch">
      <Records
        label={title}
        rows={rows}
        keyOf={({ label, packageName, productId, currency }) =>
          `${label} ${packageName} ${productId} ${currency}`
        }
        columns={columns}
      />
      {save !== undefined && <SaveButton save={save} fileName={title.toLowerCase()} title={title} />}
    </Stack>
  );
}

/** The totals without the shown lines, in each currency in which they differ. */
function restOf(shown: readonly SalesLine[], totals: readonly Sales[]): SalesLine[] {
  const sums = salesByCurrency(
    shown,
    totals.map(({ currency }) => currency),
  );
  return totals.flatMap((total, index) => {
    const { sold = 0, soldAmount = 0, trials = 0, voided = 0, voidedAmount = 0 } = sums[index] ?? {};
    const rest = {
      ...{ label: 'Others', currency: total.currency, sold: total.sold - sold },
      ...{
        soldAmount: total.soldAmount - soldAmount,
        trials: total.trials - trials,
        voided: total.voided - voided,
      },
      voidedAmount: total.voidedAmount - voidedAmount,
    };
    return rest.sold === 0 && rest.trials === 0 && rest.voided === 0 ? [] : [rest];
  });
}
