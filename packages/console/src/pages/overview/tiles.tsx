// Today in four numbers, each with its last 28 days and compared with the mean of the same weekday.

import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { line } from 'd3-shape';
import { colors } from '../../parts/colors.ts';
import { usePriceUnit } from '../../parts/money.tsx';
import { moneyText, recordedText, unknownUnit } from '../../parts/money-text.ts';
import { PageLink } from '../../parts/page-link.tsx';
import type { StatisticRow } from '../reports/statistic-series.ts';

interface TilesProps {
  /** Days, today last. */
  readonly rows: readonly StatisticRow[];
  readonly currency: string;
  /** The filters of the reports with the same numbers. */
  readonly search: TileProps['search'];
}

const shownDays = 28;
const daysPerWeek = 7;
const spark = { width: 96, height: 28 } as const;

const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

const textOfShare = (value: number | undefined): string =>
  value === undefined ? '-' : percent.format(value);

export function Tiles({ rows, currency, search }: TilesProps) {
  const unit = usePriceUnit();
  const days = rows.slice(-shownDays);
  const sum = (value: (row: StatisticRow) => number): number =>
    days.reduce((total, row) => total + value(row), 0);
  const renewed = ({ renewedFirst, renewedLater }: StatisticRow) => renewedFirst + renewedLater;
  const today = days.at(-1);
  const sales = { price: today?.soldAmount ?? 0, currency };
  const renewals = sum(renewed);
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
        means="Renewed months of those that were renewed or lost."
        value={textOfShare(share(renewals, renewals + sum(({ lost }) => lost)))}
        days={days.map(renewed)}
        note={
          renewals === 0
            ? 'no renewals'
            : `${percent.format(sum(({ renewedFirst }) => renewedFirst) / renewals)} at the first attempt`
        }
        search={search}
      />
      <Tile
        title="Voided, 28 days"
        means="Voided purchases in relation to sold ones, each on its own day."
        value={textOfShare(
          share(
            sum(({ voided }) => voided),
            sum(({ sold }) => sold),
          ),
        )}
        days={days.map(({ voided }) => voided)}
        note={`${today?.voided ?? 0} today`}
        search={search}
      />
      <Tile
        title="Active subscriptions"
        means="Subscriptions that have started and not ended, with outstanding payments included."
        value={String(today?.active ?? 0)}
        days={days.map(({ active }) => active)}
        note={signed((today?.active ?? 0) - (days.at(-1 - daysPerWeek)?.active ?? 0), 'in 7 days')}
        search={search}
      />
    </SimpleGrid>
  );
}

function signed(difference: number, when: string): string {
  return `${difference > 0 ? '+' : ''}${difference} ${when}`;
}

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
      <PageLink to="/reports" search={search} size="sm" c="dimmed">
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

function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const path = line<number>()
    .x((_, index) => (index * spark.width) / Math.max(1, values.length - 1))
    .y((value) => 1 + (spark.height - 2) * (1 - value / most));
  return (
    <svg width={spark.width} height={spark.height} aria-hidden="true" style={{ flexShrink: 0 }}>
      <path d={path(values) ?? ''} fill="none" stroke={colors.good.fill} strokeWidth={1.5} />
    </svg>
  );
}
