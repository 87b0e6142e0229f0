// The pictures of statistics, for the overview and for reports.

import { useMoneyText } from '../../parts/money.tsx';
import { ColumnsPicture, type PicturePart } from '../../pictures/columns-picture.tsx';
import type { StatisticRow } from './statistic-series.ts';

interface PictureProps {
  /** One for each period. */
  readonly rows: readonly StatisticRow[];
  readonly currency: string;
}

const sales: readonly PicturePart<StatisticRow>[] = [
  { title: 'one-time', tone: 'good', value: oneTimeAmount },
  { title: 'first months', tone: 'info', value: ({ startedAmount }) => startedAmount },
  {
    title: 'renewals',
    tone: 'info',
    isHatched: true,
    value: ({ renewedFirstAmount, renewedLaterAmount }) => renewedFirstAmount + renewedLaterAmount,
  },
  { title: 'voids', tone: 'bad', isHatched: true, isBelow: true, value: ({ voidedAmount }) => voidedAmount },
];

function oneTimeAmount(row: StatisticRow): number {
  return row.soldAmount - row.startedAmount - row.renewedFirstAmount - row.renewedLaterAmount;
}

export function SalesPicture({ rows, currency }: PictureProps) {
  const money = useMoneyText();
  return (
    <ColumnsPicture
      title="Sales and voids"
      rows={rows}
      parts={sales}
      text={(price) => money({ price, currency })}
    />
  );
}

const renewals: readonly PicturePart<StatisticRow>[] = [
  { title: 'paid at the first attempt', tone: 'good', value: ({ renewedFirst }) => renewedFirst },
  { title: 'paid later', tone: 'info', isHatched: true, value: ({ renewedLater }) => renewedLater },
  { title: 'lost', tone: 'bad', isHatched: true, isBelow: true, value: ({ lost }) => lost },
];

const active: readonly PicturePart<StatisticRow>[] = [
  { title: 'active at the end', tone: 'good', value: (row) => row.active },
];

const churn: readonly PicturePart<StatisticRow>[] = [
  { title: 'started', tone: 'good', value: ({ started }) => started },
  { title: 'ended', tone: 'waiting', isHatched: true, isBelow: true, value: ({ ended }) => ended },
];

const counts = {
  Renewals: renewals,
  'Active subscriptions': active,
  'Started and ended subscriptions': churn,
} as const;

interface CountPictureProps extends Pick<PictureProps, 'rows'> {
  readonly of: keyof typeof counts;
}

export function CountPicture({ rows, of }: CountPictureProps) {
  return <ColumnsPicture title={of} rows={rows} parts={counts[of]} text={String} />;
}
