// What was sold, renewed and voided, by day, week or month.

import { SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { statisticsQuery } from '../../api/statistics.ts';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filters.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { reportFields, reportRangeDefault } from './report-fields.ts';
import { CountPicture, SalesPicture } from './statistic-pictures.tsx';
import {
  currenciesOf,
  dayBefore,
  dayIn,
  type Period,
  type PeriodRange,
  type Statistics,
  seriesOf,
} from './statistic-series.ts';

const searchParameters = ['packageName', 'productId'] as const;

export function ReportsPage() {
  const search = useSearch({ from: '/frame/reports' });
  const navigate = useNavigate();
  const session = useQuery(sessionQuery).data?.session;
  const { days = reportRangeDefault, by = 'day', currency: chosen } = search;
  const to = search.to ?? dayIn(session?.timeZone ?? 'UTC', serverNow());
  const range: PeriodRange = { from: dayBefore(to, Number(days) - 1), to, by: by as Period };
  const filters = Object.fromEntries(searchParameters.map((name) => [name, search[name]]));
  const statistics = useQuery({
    ...statisticsQuery({ ...range, ...filters }),
    placeholderData: keepPreviousData,
    enabled: session !== undefined,
  });
  const { data } = statistics;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = chosen ?? currencies[0];
  return (
    <Stack gap="lg">
      <PageHeading title="Reports">
        <Text size="sm" c="dimmed">
          A sale counts on the day of its purchase and a void on its own day, in the time zone of the store;
          each app of a sandbox by its own clock. Currencies are never added.
        </Text>
      </PageHeading>
      <FilterBar fields={reportFields} search={search} />
      {currencies.length > 1 && (
        <SegmentedControl<string>
          aria-label="Currency"
          data={currencies}
          value={currency ?? ''}
          onChange={(value) => void navigate({ to: '.', search: { ...search, currency: value } })}
          style={{ alignSelf: 'flex-start' }}
        />
      )}
      <Panel title="Sales and voids" state={statistics}>
        {data !== undefined &&
          (currency === undefined ? (
            <Empty text="Nothing was sold in this time." />
          ) : (
            <SalesPicture rows={seriesOf(data, currency, range)} currency={currency} />
          ))}
      </Panel>
      {data !== undefined && currency !== undefined && (
        <Subscriptions data={data} currency={currency} range={range} state={statistics} />
      )}
    </Stack>
  );
}

interface SubscriptionsProps {
  readonly data: Statistics;
  readonly currency: string;
  readonly range: PeriodRange;
  readonly state: Parameters<typeof Panel>[0]['state'];
}

function Subscriptions({ data, currency, range, state }: SubscriptionsProps) {
  const rows = seriesOf(data, currency, range);
  const opening = data.before.find((entry) => entry.currency === currency)?.active ?? 0;
  const ended = rows.reduce((sum, row) => sum + row.ended, 0);
  return (
    <>
      <Panel title="Renewals by outcome" state={state}>
        <CountPicture rows={rows} of="Renewals" />
      </Panel>
      <Panel title="Active subscriptions" state={state}>
        <CountPicture rows={rows} of="Active subscriptions" />
      </Panel>
      <Panel title="Churn" note={opening === 0 ? undefined : churnText(ended, opening)} state={state}>
        <CountPicture rows={rows} of="Started and ended subscriptions" />
      </Panel>
      <Text size="sm" c="dimmed">
        {data.countedUntil === undefined ? (
          'The purchases of an app are being counted for the first time.'
        ) : (
          <>
            Counted up to <Instant ms={data.countedUntil} clock="real" />.
          </>
        )}
        {data.since !== undefined && (
          <>
            {' '}
            Lost subscriptions are known since <Instant ms={data.since} clock="app" />.
          </>
        )}
      </Text>
    </>
  );
}

function churnText(ended: number, opening: number): string {
  const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });
  return `${percent.format(ended / opening)}: ${ended} of ${opening} ended`;
}
