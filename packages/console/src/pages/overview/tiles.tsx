// Today and the last 28 days in four numbers, each with its course.

import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { colors } from '../../parts/colors.ts';
import { numberText } from '../../parts/count-text.ts';
import { usePriceUnit } from '../../parts/money.tsx';
import { moneyText, recordedText, unknownUnit } from '../../parts/money-text.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { type StatisticRow, sumOf } from '../reports/statistic-series.ts';

interface TilesProps {
  /** Days, today last. */
  readonly rows: readonly StatisticRow[];
  readonly currency: string;
  /** Active subscriptions whose paid time is over. */
  readonly unpaid: number;
  /** The filters of the reports with the same numbers. */
  readonly search: TileProps['search'];
}

const shownDays = 28;
const daysPerWeek = 7;

const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

const shareText = (part: number, whole: number): string => (whole === 0 ? '-' : percent.format(part / whole));

export function Tiles({ rows, currency, unpaid, search }: TilesProps) {
  const unit = usePriceUnit();
  const days = rows.slice(-shownDays);
  const sales = { price: days.at(-1)?.soldAmount ?? 0, currency };
  const paidOf = ({ renewedFirst, renewedLater }: StatisticRow) => renewedFirst + renewedLater;
  const paid = sumOf(days, 'renewedFirst') + sumOf(days, 'renewedLater');
  const [lost, open] = [sumOf(days, 'lost'), sumOf(days, 'open')];
  const [sold, voided] = [sumOf(days, 'sold'), sumOf(days, 'voided')];
  // Those of earlier days are corrected when they end.
  const active = days.map((row, index) => (index === days.length - 1 ? row.active - unpaid : row.active));
  const activeNow = active.at(-1) ?? 0;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Tile
        title="Sales today"
        means={`The prices of all purchases of today in ${currency}; voids are not subtracted.`}
        value={unit === 'unspecified' ? recordedText(sales) : moneyText(sales, unit)}
        {...(unit === 'unspecified' && { unit: unknownUnit })}
        days={days.map(({ soldAmount }) => soldAmount)}
        note={weekdayNote(days.map(({ soldAmount }) => soldAmount))}
        search={search}
      />
      <Tile
        title="Renewed, 28 days"
        means="Paid months of those that were paid or lost, or fell due over an hour ago and are still open."
        value={shareText(paid, paid + lost + open)}
        days={days.map(paidOf)}
        note={
          paid + lost + open === 0
            ? 'no month was due'
            : `${numberText(paid)} paid, ${numberText(lost)} lost, ${numberText(open)} still open`
        }
        search={search}
      />
      <Tile
        title="Voided, 28 days"
        means="Voided purchases in relation to sold ones, each on its own day."
        value={shareText(voided, sold)}
        days={days.map((row) => row.voided)}
        note={`${numberText(voided)} of ${numberText(sold)}, ${numberText(days.at(-1)?.voided ?? 0)} today`}
        search={search}
      />
      <Tile
        title="Active subscriptions"
        means="Subscriptions that have started and not ended, and whose paid time is not over."
        value={numberText(activeNow)}
        days={active}
        note={`${signed(activeNow - (active.at(-1 - daysPerWeek) ?? 0))} in 7 days${unpaid === 0 ? '' : `, ${numberText(unpaid)} more unpaid`}`}
        search={search}
      />
    </SimpleGrid>
  );
}

const signed = (difference: number): string => `${difference > 0 ? '+' : ''}${numberText(difference)}`;

/** Today against the mean of the same weekday of the weeks before. */
function weekdayNote(values: readonly number[]): string {
  const before = values.toReversed().filter((_, index) => index > 0 && index % daysPerWeek === 0);
  const mean = before.reduce((sum, value) => sum + value, 0) / before.length;
  if (!(mean > 0)) return 'no sales on this weekday before';
  const change = (values.at(-1) ?? 0) / mean - 1;
  return `${change > 0 ? '+' : ''}${percent.format(change)} against the mean of this weekday`;
}

interface TileProps {
  readonly title: string;
  /** How it counts. */
  readonly means: string;
  readonly value: string;
  /** What is said about the unit of the value, if anything. */
  readonly unit?: string;
  readonly days: readonly number[];
  readonly note: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}

function Tile({ title, means, value, unit, days, note, search }: TileProps) {
  return (
    <Paper component="section" withBorder radius="md" p="md" title={means} aria-label={title}>
      <PageLink to="/reports" search={search} size="sm">
        {title}
      </PageLink>
      <Text fz="xl" fw={600} lh={1.3}>
        {value}
      </Text>
      {unit !== undefined && <Text size="xs">{unit}</Text>}
      <Group justify="space-between" wrap="nowrap" align="end">
        <Text size="xs" c="dimmed">
          {note}
        </Text>
        <Sparkline values={days} />
      </Group>
    </Paper>
  );
}

const spark = { width: 96, height: 28 } as const;

function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = spark.width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${index * step},${1 + (spark.height - 2) * (1 - value / most)}`,
  );
  return (
    <svg width={spark.width} height={spark.height} aria-hidden="true" style={{ flexShrink: 0 }}>
      <polyline points={points.join(' ')} fill="none" stroke={colors.good.fill} strokeWidth={1.5} />
    </svg>
  );
}
