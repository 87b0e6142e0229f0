// The results of a search, each with a link to its page.

import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SearchHit } from '../../api/search.ts';
import { ActionSentence } from '../../parts/action-words.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PurchaseState } from '../../parts/purchase-state.tsx';
import { Records } from '../../parts/records.tsx';
import { kinds, linkToHit } from '../../parts/search-hits.tsx';
import { EventSentence } from '../../parts/sentence.tsx';

export function Hits({ hits }: { readonly hits: readonly SearchHit[] }) {
  return (
    <Records
      label="Hits"
      rows={hits}
      keyOf={(hit) => `${hit.kind} ${'packageName' in hit ? hit.packageName : ''} ${hit.id}`}
      columns={[
        { title: 'Id', cell: (hit) => <Id value={hit.id} what="id" link={linkToHit(hit)} wraps /> },
        { title: 'Kind', cell: ({ kind }) => kinds[kind].name },
        {
          title: 'App',
          cell: (hit) => <LongText text={('packageName' in hit ? hit.packageName : undefined) ?? '-'} />,
        },
        { title: 'Details', cell: (hit) => <Stack gap="xxs">{detailsOf(hit)}</Stack> },
      ]}
    />
  );
}

function detailsOf(hit: SearchHit): ReactNode {
  switch (hit.kind) {
    case 'purchase':
      return (
        <>
          <span>
            <LongText text={hit.purchase.productId} /> <PurchaseState purchase={hit.purchase} />
          </span>
          <span>
            <Money {...hit.purchase} />, <Instant ms={hit.purchase.purchaseTime} clock="app" />
          </span>
        </>
      );
    case 'delivery':
      return (
        <span>
          <EventSentence type={hit.type} /> {hit.state}, <Instant ms={hit.eventTime} clock="app" />
        </span>
      );
    case 'event':
      return (
        <span>
          <EventSentence type={hit.type} /> <Instant ms={hit.eventTime} clock="app" />
        </span>
      );
    case 'action':
      return (
        <span>
          <ActionSentence action={hit} /> <Instant ms={hit.time} clock="real" />
        </span>
      );
    case 'request':
      return (
        <span>
          {hit.operationId}, <Instant ms={hit.time} clock="real" />
        </span>
      );
    case 'app':
      return <LongText text={hit.name ?? ''} />;
    case 'product':
      return <LongText text={hit.title ?? ''} />;
    case 'buyer':
      return null;
  }
}
