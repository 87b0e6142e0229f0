// The periods of a subscription that are loaded for its picture, the newest first.

import { Stack } from '@mantine/core';
import type { Subscription } from '@opentill/client/operator';
import { linkTo } from '../../parts/page-link.tsx';
import { Records } from '../../parts/records.tsx';
import { State } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { Money } from '../../values/money.tsx';

type Month = Subscription['months'][number];

export function Months({
  subscription: { packageName, months, currency },
}: {
  readonly subscription: Subscription;
}) {
  return (
    <Records
      label="Periods"
      rows={months.toReversed()}
      keyOf={({ purchaseId }) => purchaseId}
      columns={[
        { title: 'Period', cell: ({ periodIndex }) => periodIndex + 1 },
        {
          title: 'Purchase',
          cell: ({ purchaseId }) => (
            <Id value={purchaseId} what="purchase id" link={linkTo.purchase({ packageName, purchaseId })} />
          ),
        },
        { title: 'From', clock: 'app', time: ({ startTime }) => startTime },
        { title: 'Until', clock: 'app', time: ({ expiryTime }) => expiryTime },
        { title: 'State', cell: (month) => <MonthState month={month} /> },
        {
          title: 'Price',
          align: 'right',
          isClear: true,
          cell: ({ price }) => <Money price={price} currency={currency} />,
        },
      ]}
    />
  );
}

function MonthState({ month: { purchaseState, voidedTime } }: { readonly month: Month }) {
  if (purchaseState === 0) return <State>paid</State>;
  return (
    <Stack gap="xxs" align="flex-start">
      <State tone="bad">voided</State>
      {voidedTime !== undefined && <Instant ms={voidedTime} />}
    </Stack>
  );
}
