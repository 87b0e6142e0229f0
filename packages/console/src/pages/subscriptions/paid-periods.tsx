// The periods of a subscription that are loaded for its picture, the newest first.

import { Stack } from '@mantine/core';
import type { Subscription } from '@opentill/client/operator';
import { linkTo } from '../../parts/page-link.tsx';
import { Records } from '../../parts/records.tsx';
import { State } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { Money } from '../../values/money.tsx';

type PaidPeriod = Subscription['periods'][number];

export function PaidPeriods({
  subscription: { packageName, periods, currency },
}: {
  readonly subscription: Subscription;
}) {
  return (
    <Records
      label="Periods"
      rows={periods.toReversed()}
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
        { title: 'State', cell: (paidPeriod) => <PeriodState paidPeriod={paidPeriod} /> },
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

function PeriodState({
  paidPeriod: { purchaseState, voidedTime, price },
}: {
  readonly paidPeriod: PaidPeriod;
}) {
  if (purchaseState === 0) return <State tone="good">{price === 0 ? 'free' : 'paid'}</State>;
  return (
    <Stack gap="xxs" align="flex-start">
      <State tone="bad">voided</State>
      {voidedTime !== undefined && <Instant ms={voidedTime} />}
    </Stack>
  );
}
