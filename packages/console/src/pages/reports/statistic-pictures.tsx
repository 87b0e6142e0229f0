// The pictures of statistics with the choice of their currency, for the overview and for reports.

import { Alert, SegmentedControl, SimpleGrid } from '@mantine/core';
import { partialNote } from '@opentill/contract/partial-statistics.ts';
import type { ComponentProps } from 'react';
import { type ChartSeries, ColumnsChart } from '../../pictures/columns-chart.tsx';
import { useMoneyText, usePriceUnit } from '../../values/money.tsx';
import { shortMoneyText } from '../../values/money-text.ts';
import { numberText } from '../../values/quantity-text.ts';
import type { StatisticRow, Statistics } from './statistic-series.ts';

interface PictureProps extends Pick<ComponentProps<typeof ColumnsChart>, 'state' | 'save'> {
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

function SalesPicture({ currency, ...props }: PictureProps) {
  const unit = usePriceUnit();
  const money = useMoneyText();
  return (
    <ColumnsChart
      {...props}
      title="Sales"
      series={sales}
      empty="Nothing was sold or voided."
      text={(price) => money({ price, currency })}
      axisText={(price) => shortMoneyText({ price, currency }, unit)}
    />
  );
}

const renewals: readonly ChartSeries<StatisticRow>[] = [
  { name: 'paid at once', tone: 'good', value: ({ renewedFirst }) => renewedFirst },
  { name: 'paid later', tone: 'info', isPale: true, value: ({ renewedLater }) => renewedLater },
  { name: 'lost', tone: 'bad', isPale: true, isBelow: true, value: ({ lost }) => lost },
  { name: 'still open', tone: 'waiting', value: ({ open }) => open },
];

/** Next to each other, so that what happened on a day is in one line. */
export function Charts(props: PictureProps) {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <SalesPicture {...props} />
      <ColumnsChart
        {...props}
        title="Renewals"
        series={renewals}
        text={numberText}
        empty="No period was due."
      />
    </SimpleGrid>
  );
}

interface CurrencyChoiceProps {
  readonly label: string;
  readonly currencies: readonly string[];
  readonly currency: string;
  readonly onChange: (currency: string) => void;
}

/** Amounts of several currencies are never in one chart. */
export function CurrencyChoice({ label, currencies, currency, onChange }: CurrencyChoiceProps) {
  if (currencies.length < 2) return null;
  return (
    <SegmentedControl
      aria-label={label}
      data={[...currencies]}
      value={currency}
      onChange={onChange}
      style={{ alignSelf: 'flex-start' }}
    />
  );
}

/** Above numbers that are not complete. */
export function PartialNote({ statistics }: { readonly statistics: Statistics | undefined }) {
  const isPartial = statistics !== undefined && statistics.countedUntil === undefined;
  return isPartial && <Alert color="waiting">{partialNote}</Alert>;
}
