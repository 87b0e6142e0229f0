// Today and the days of the overview in four numbers.

import { Paper, SimpleGrid, Text } from '@mantine/core';
import { PageLink } from '../../parts/page-link.tsx';
import { useMoneyText } from '../../values/money.tsx';
import { numberText } from '../../values/quantity-text.ts';
import { type StatisticRow, sumOf } from '../reports/statistic-series.ts';

interface TilesProps {
  /** Days, today last. */
  readonly rows: readonly StatisticRow[];
  readonly currency: string;
  /** Active subscriptions whose paid time is over. */
  readonly unpaid: number;
  /** The filters of the reports with the same numbers. */
  readonly search: Readonly<Record<string, string | undefined>>;
}

const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** Less than this is shown as less, not as none. */
const shareMin = 0.001;

function shareText(part: number, whole: number): string {
  if (whole === 0) return '-';
  const share = part / whole;
  return share > 0 && share < shareMin ? `<${percent.format(shareMin)}` : percent.format(share);
}

export function Tiles({ rows, currency, unpaid, search }: TilesProps) {
  const money = useMoneyText();
  const today = rows.at(-1);
  const sales = { price: today?.soldAmount ?? 0, currency };
  const paid = sumOf(rows, 'renewedFirst') + sumOf(rows, 'renewedLater');
  const [lost, open] = [sumOf(rows, 'lost'), sumOf(rows, 'open')];
  const [sold, voided] = [sumOf(rows, 'sold'), sumOf(rows, 'voided')];
  const due = paid + lost + open;
  const tiles: readonly TileProps[] = [
    {
      title: 'Sales today',
      means: `The prices of all purchases of today in ${currency}; voids are not subtracted.`,
      value: money(sales),
      note: `${numberText(today?.sold ?? 0)} sold`,
    },
    {
      title: `Renewed, ${rows.length} days`,
      means:
        'Paid periods of those that were paid or lost, were declined so far, or fell due over an hour ago.',
      value: shareText(paid, due),
      note:
        due === 0
          ? 'no period was due'
          : `${numberText(paid)} paid, ${numberText(lost)} lost, ${numberText(open)} still open`,
    },
    {
      title: `Voided, ${rows.length} days`,
      means: 'Voided purchases in relation to sold ones, each on its own day.',
      value: shareText(voided, sold),
      note: `${numberText(voided)} of ${numberText(sold)}, ${numberText(today?.voided ?? 0)} today`,
    },
    {
      title: 'Active subscriptions',
      means: 'Subscriptions that have started and not ended, and whose paid time is not over.',
      value: numberText((today?.active ?? 0) - unpaid),
      note: `${numberText(unpaid)} more unpaid`,
    },
  ];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      {tiles.map((tile) => (
        <Tile key={tile.title} {...tile} search={search} />
      ))}
    </SimpleGrid>
  );
}

interface TileProps {
  readonly title: string;
  /** How it counts. */
  readonly means: string;
  readonly value: string;
  readonly note: string;
}

function Tile({ title, means, value, note, search }: TileProps & Pick<TilesProps, 'search'>) {
  return (
    <Paper component="section" withBorder radius="md" p="md" title={means} aria-label={title}>
      <PageLink to="/reports" search={search} size="sm">
        {title}
      </PageLink>
      <Text fz="xl" fw={600} lh={1.3}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}
