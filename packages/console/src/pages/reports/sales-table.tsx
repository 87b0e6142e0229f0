// What was sold, voided and remains, by product or app: in each currency the best sellers, and a last line.

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

/** The lines of a currency; the file has all. */
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
  const rows = totals.flatMap((total): readonly SalesLine[] => {
    const sum = { ...total, label: 'Total' };
    if (by === undefined) return [sum];
    const own = lines.filter(({ currency }) => currency === total.currency);
    // A single other one takes no more room than its sum.
    const shown = own.length === shownMax + 1 ? own : own.slice(0, shownMax);
    return [...shown, ...restOf(shown, total), sum];
  });
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

/** The total without the shown lines, if it differs. */
function restOf(shown: readonly SalesLine[], total: Sales): SalesLine[] {
  const [sums] = salesByCurrency(shown, [total.currency]);
  const less = (name: Exclude<keyof Sales, 'currency'>) => total[name] - (sums?.[name] ?? 0);
  const rest = {
    ...{ label: 'Others', currency: total.currency, sold: less('sold'), soldAmount: less('soldAmount') },
    ...{ trials: less('trials'), voided: less('voided'), voidedAmount: less('voidedAmount') },
  };
  return rest.sold === 0 && rest.trials === 0 && rest.voided === 0 ? [] : [rest];
}
