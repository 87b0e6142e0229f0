// What was sold, voided and renewed in a range of days: totals, by product and app, and by day, week or month.

import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
import { partialNote } from '@opentill/contract/partial-statistics.ts';
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
import { SalesTable } from './sales-table.tsx';
import { RenewalsPicture, SalesPicture } from './statistic-pictures.tsx';
import { currenciesOf, salesByCurrency, seriesOf } from './statistic-series.ts';

export function ReportsPage() {
  const search = useSearch({ from: '/frame/reports' });
  const navigate = useNavigate();
  const session = useQuery(sessionQuery).data?.session;
  const { packageName, productId, currency: chosen } = search;
  const hasOwnDays = (search.from ?? search.to) !== undefined;
  const { now } = useAppNow(packageName);
  const days = rangeOf(search, dayIn(session?.timeZone ?? 'UTC', now ?? 0));
  const queryBy = (by: 'day' | 'product' | 'app') => ({ ...days, by, packageName, productId });
  const save = (by: 'day' | 'product' | 'app') => (client: SessionClient) =>
    client.getStatistics(queryBy(by));
  const useRead = (by: 'day' | 'product' | 'app') =>
    useQuery({
      ...callQuery('getStatistics', queryBy(by)),
      refetchInterval: refreshEveryMs,
      placeholderData: keepPreviousData,
      enabled: session !== undefined && now !== undefined,
    });
  const [periods, products, apps] = [useRead('day'), useRead('product'), useRead('app')];
  const { data } = periods;
  const currencies = data === undefined ? [] : currenciesOf(data);
  const currency = currencies.find((known) => known === chosen) ?? currencies[0];
  const totals = salesByCurrency(
    data?.rows ?? [],
    currencies.filter((name) => data?.rows.some((row) => row.currency === name)),
  );
  return (
    <Stack gap="lg">
      <PageHeading title="Reports" note={rangeNote(days, data?.timeZone)} />
      <FilterBar
        fields={reportFilters}
        search={search}
        inForce={hasOwnDays ? { ...days } : { ...days, range: String(daysDefault) }}
      />
      {data !== undefined && data.countedUntil === undefined && <Alert color="yellow">{partialNote}</Alert>}
      <Panel title="Totals" state={periods}>
        {data !== undefined && totals.length === 0 ? (
          <Empty text="Nothing was sold or voided in this range." />
        ) : (
          <SalesTable title="Totals" lines={[]} totals={totals} />
        )}
      </Panel>
      {data !== undefined && currency !== undefined && (
        <>
          {currencies.length > 1 && (
            <SegmentedControl<string>
              aria-label="Currency of the charts"
              data={currencies}
              value={currency}
              onChange={(value) => void navigate({ to: '.', search: { ...search, currency: value } })}
              style={{ alignSelf: 'flex-start' }}
            />
          )}
          <Panel title="Sales and voids" state={periods}>
            <SalesPicture rows={seriesOf(data, currency, days)} currency={currency} save={save('day')} />
          </Panel>
          <Panel title="Sales by product" state={joinedState([periods, products])}>
            <SalesTable
              title="Sales by product"
              by="product"
              save={save('product')}
              lines={products.data?.rows ?? []}
              totals={totals}
            />
          </Panel>
          <Panel title="Sales by app" state={joinedState([periods, apps])}>
            <SalesTable
              title="Sales by app"
              by="app"
              save={save('app')}
              lines={apps.data?.rows ?? []}
              totals={totals}
            />
          </Panel>
          <Panel title="Renewals by outcome" state={periods}>
            <RenewalsPicture rows={seriesOf(data, currency, days)} save={save('day')} />
          </Panel>
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
