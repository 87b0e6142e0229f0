// The voided purchases of all apps, newest first: what was voided, by whom and why.

import { Stack } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { appInstantOf } from '../../parts/app-instant.ts';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { ReasonText } from '../../parts/reason-text.tsx';
import { purchaseColumns } from '../purchases/purchase-columns.tsx';
import { voidsFields } from './voids-fields.ts';

type Void = Awaited<ReturnType<OperatorOperations['listVoids']>>['voids'][number];

const { purchase, app, product, buyer, price } = purchaseColumns;

export function VoidsPage() {
  const search = useSearch({ from: '/frame/voids' });
  const { packageName } = search;
  return (
    <Stack gap="lg">
      <PageHeading title="Voids" />
      <PageList<Void>
        label="Voids"
        fields={voidsFields}
        search={search}
        queryKey={['voids']}
        load={async (page, signal) => {
          const from = await appInstantOf(search.from, packageName);
          const to = await appInstantOf(search.to, packageName);
          const { voids, nextPageToken } = await client.listVoids(
            { packageName, from, to, ...page },
            { signal },
          );
          return { rows: voids, nextPageToken };
        }}
        keyOf={({ packageName: own, purchaseId }) => `${own} ${purchaseId}`}
        columns={[
          purchase,
          { title: 'Voided', clock: 'app', name: 'voidedTime', time: ({ voidedTime }) => voidedTime },
          app,
          product,
          buyer,
          { title: 'Reason', name: 'reasonCode', cell: (row) => <ReasonText reason={row} /> },
          { title: 'By', name: 'voidedBy', cell: ({ voidedBy = '-' }) => <Author madeBy={voidedBy} /> },
          price,
          'currency',
          'orderId',
          'purchaseTime',
          'note',
          'ticket',
        ]}
        empty={<Empty text="Nothing was voided yet." />}
        fileName="voids"
      />
    </Stack>
  );
}
