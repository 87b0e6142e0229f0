// The pictures of statistics, for the overview and for reports.

import type { ComponentProps } from 'react';
import { type ChartSeries, ColumnsChart } from '../../pictures/columns-chart.tsx';
import { useMoneyText, usePriceUnit } from '../../values/money.tsx';
import { shortMoneyText } from '../../values/money-text.ts';
import type { StatisticRow } from './statistic-series.ts';

interface PictureProps extends Pick<ComponentProps<typeof ColumnsChart>, 'save'> {
  /** One for each period. */
  readonly rows: readonly StatisticRow[];
  readonly currency: string;
}

const sales: readonly ChartSeries<StatisticRow>[] = [
  { name: 'one-time', tone: 'good', value: oneTimeAmount },
  { name: 'first periods', tone: 'info', value: ({ startedAmount }) => startedAmount },
  {
    name: 'renewals',
    tone: 'info',
    isPale: true,
    value: ({ renewedFirstAmount, renewedLaterAmount }) => renewedFirstAmount + renewedLaterAmount,
  },
  { name: 'voids', tone: 'bad', isPale: true, isBelow: true, value: ({ voidedAmount }) => voidedAmount },
];

function oneTimeAmount(row: StatisticRow): number {
  return row.soldAmount - row.startedAmount - row.renewedFirstAmount - row.renewedLaterAmount;
}

export function SalesPicture({ rows, currency, save }: PictureProps) {
  const unit = usePriceUnit();
  const money = useMoneyText();
  return (
    <ColumnsChart
      title="Sales and voids"
      rows={rows}
      series={sales}
      save={save}
      empty="Nothing was sold or voided."
      text={(price) => money({ price, currency })}
      axisText={(price) => shortMoneyText({ price, currency }, unit)}
    />
  );
}

const renewals: readonly ChartSeries<StatisticRow>[] = [
  { name: 'paid at the first attempt', tone: 'good', value: ({ renewedFirst }) => renewedFirst },
  { name: 'paid later', tone: 'info', isPale: true, value: ({ renewedLater }) => renewedLater },
  { name: 'lost', tone: 'bad', isPale: true, isBelow: true, value: ({ lost }) => lost },
  { name: 'still open', tone: 'waiting', value: ({ open }) => open },
];

export function RenewalsPicture({ rows, save }: Pick<PictureProps, 'rows' | 'save'>) {
  return (
    <ColumnsChart
      title="Renewals"
      rows={rows}
      series={renewals}
      save={save}
      text={String}
      empty="No period was due."
    />
  );
}
