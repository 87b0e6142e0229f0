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
import { RenewalsPicture, SalesPicture } from './statistic-pictures.tsx';
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
        <Panel title="Renewals by outcome" state={statistics}>
          <RenewalsPicture rows={seriesOf(data, currency, range)} />
        </Panel>
      )}
      {data !== undefined && <CountedNote {...data} />}
    </Stack>
  );
}

/** How complete the numbers are. */
function CountedNote({ countedUntil }: Pick<Statistics, 'countedUntil'>) {
  return (
    <Text size="sm" c="dimmed">
      {countedUntil === undefined ? (
        'The days of an imported app are being counted.'
      ) : (
        <>
          Counted up to <Instant ms={countedUntil} clock="real" />.
        </>
      )}
    </Text>
  );
}
