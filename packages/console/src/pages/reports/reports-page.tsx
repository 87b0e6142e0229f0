// What was sold, voided and renewed in a range of days: totals, by product and app, and by day, week or month.

import { Stack, Text } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { callQuery, refreshEveryMs } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { FilterBar } from '../../filters/filters.tsx';
import { reportFilters } from '../../filters/page-filters.ts';
import { Age } from '../../parts/age.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { isProduction } from '../../runtime/page.ts';
import { dateText } from '../../values/date-text.ts';
import { type DayRange, dayIn, daysDefault, rangeOf } from '../../values/days.ts';
import { useAppNow } from './app-now.ts';
import { ReportTabs } from './report-tabs.tsx';
import { SalesTable } from './sales-table.tsx';
import { Charts, CurrencyChoice, PartialNote } from './statistic-pictures.tsx';
import { currenciesOf, salesByCurrency, seriesOf } from './statistic-series.ts';

type By = 'day' | 'product' | 'app';

/** The statistics of the range by day, product and app, and the calls that save them. */
function useStatistics(search: ReturnType<typeof useReportSearch>) {
  const session = useQuery(sessionQuery).data?.session;
  const { packageName, productId } = search;
  const { now } = useAppNow(packageName);
  const days = rangeOf(search, dayIn(session?.timeZone ?? 'UTC', now ?? 0));
  const queryBy = (by: By) => ({ ...days, by, packageName, productId });
  const useRead = (by: By) =>
    useQuery({
      ...callQuery('getStatistics', queryBy(by)),
      refetchInterval: refreshEveryMs,
      placeholderData: keepPreviousData,
      enabled: session !== undefined && now !== undefined,
    });
  const save = (by: By) => (client: SessionClient) => client.getStatistics(queryBy(by));
  return { days, periods: useRead('day'), products: useRead('product'), apps: useRead('app'), save };
}

const useReportSearch = () => useSearch({ from: '/frame/reports' });

export function ReportsPage() {
  const search = useReportSearch();
  const navigate = useNavigate();
  const { days, periods, products, apps, save } = useStatistics(search);
  const hasOwnDays = (search.from ?? search.to) !== undefined;
  const { data } = periods;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = currencies.find((known) => known === search.currency) ?? currencies[0];
  const sold = currencies.filter((name) => data?.rows.some((row) => row.currency === name));
  const totals = salesByCurrency(data?.rows ?? [], sold);
  return (
    <Stack gap="lg">
      <PageHeading title="Reports" note={rangeNote(days, data?.timeZone)} />
      <ReportTabs packageName={search.packageName} />
      <FilterBar
        fields={reportFilters}
        search={search}
        inForce={hasOwnDays ? { ...days } : { ...days, range: String(daysDefault) }}
      />
      <PartialNote statistics={data} />
      <Panel title="Totals" state={periods}>
        {data !== undefined && totals.length === 0 ? (
          <Empty text="Nothing was sold or voided in this range." />
        ) : (
          <SalesTable title="Totals" lines={[]} totals={totals} />
        )}
      </Panel>
      {data !== undefined && currency !== undefined && (
        <>
          <CurrencyChoice
            label="Currency of the charts"
            {...{ currencies, currency }}
            onChange={(value) => void navigate({ to: '.', search: { ...search, currency: value } })}
          />
          <Charts
            state={periods}
            rows={seriesOf(data, currency, days)}
            currency={currency}
            save={save('day')}
          />
          {Object.entries({ product: products, app: apps }).map(([by, read]) => (
            <Panel key={by} title={`Sales by ${by}`} state={joinedState([periods, read])}>
              <SalesTable
                title={`Sales by ${by}`}
                by={by as 'product' | 'app'}
                save={save(by as By)}
                lines={read.data?.rows ?? []}
                totals={totals}
              />
            </Panel>
          ))}
        </>
      )}
      {data?.countedUntil !== undefined && <CountedNote countedUntil={data.countedUntil} />}
    </Stack>
  );
}

const rangeNote = ({ from, to }: DayRange, timeZone = 'of the store'): string =>
  `${dateText(from)} to ${dateText(to)}, in the time zone ${timeZone}${isProduction ? '' : ', each app by its own clock'}. A sale counts by the time of its purchase and a void by its own: a void in this range of an earlier sale counts here. Net is sold less voided. Currencies are never added.`;

/** How complete the numbers are. */
function CountedNote({ countedUntil }: { readonly countedUntil: number }) {
  return (
    <Text size="sm" c="dimmed">
      Counted <Age since={countedUntil} /> ago; a change of an operator counts at once, everything else every
      10 s.
    </Text>
  );
}
