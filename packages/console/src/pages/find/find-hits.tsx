// The results of a search, each with a link to its page.

import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SearchHit } from '../../api/search.ts';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { linkTo, type PageTarget } from '../../parts/page-link.tsx';
import { PurchaseState } from '../../parts/purchase-state.tsx';
import { Records } from '../../parts/records.tsx';

/** The page of a hit. */
export function linkToHit(hit: SearchHit): PageTarget {
  switch (hit.kind) {
    case 'purchase':
      return linkTo.purchase({ packageName: hit.packageName, purchaseId: hit.id });
    case 'buyer':
      return linkTo.buyer(hit.id);
    case 'delivery':
      return linkTo.delivery(hit.packageName, hit.id);
    case 'event':
      return hit.purchaseId === undefined
        ? linkTo.app(hit.packageName, 'events')
        : linkTo.purchase({ packageName: hit.packageName, purchaseId: hit.purchaseId });
    case 'action':
      return linkTo.audit(hit.packageName, hit.subject);
    case 'request':
      return linkTo.app(hit.packageName, 'lab');
    case 'app':
      return linkTo.app(hit.packageName);
    case 'product':
      return linkTo.app(hit.packageName, 'products');
  }
}

const kindNames: Readonly<Record<SearchHit['kind'], string>> = {
  purchase: 'Purchase',
  buyer: 'Buyer',
  delivery: 'Delivery',
  event: 'Event',
  action: 'Operator call',
  request: 'Logged call',
  app: 'App',
  product: 'Product',
};

export function Hits({ hits }: { readonly hits: readonly SearchHit[] }) {
  return (
    <Records
      label="Hits"
      rows={hits}
      keyOf={(hit) => `${hit.kind} ${'packageName' in hit ? hit.packageName : ''} ${hit.id}`}
      columns={[
        { title: 'Id', cell: (hit) => <Id value={hit.id} what="id" link={linkToHit(hit)} wraps /> },
        { title: 'Kind', cell: ({ kind }) => kindNames[kind] },
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
          {hit.type}, {hit.state}, <Instant ms={hit.eventTime} clock="app" />
        </span>
      );
    case 'event':
      return (
        <span>
          {hit.type}, <Instant ms={hit.eventTime} clock="app" />
        </span>
      );
    case 'action':
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
