// The facts of a purchase that are not in its story, and what the purchase API returns for it at present.

import { Box, Group, Stack, Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { callQuery } from '../../api/client.ts';
import { Author } from '../../parts/author.tsx';
import { Fields } from '../../parts/fields.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/states.tsx';
import { CopiedCode } from '../../values/copied-code.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money } from '../../values/money.tsx';

export function PurchaseRecord({ purchase }: { readonly purchase: PurchaseWithHistory }) {
  const { packageName, productId, orderId, buyerId, recordedBy, firstPurchaseId, periodIndex } = purchase;
  return (
    <Fields
      isNarrow
      fields={{
        App: <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />,
        Product: <Id value={productId} what="product id" wraps />,
        Order: orderId && <Id value={orderId} what="order id" wraps />,
        Buyer: buyerId && <Id value={buyerId} what="buyer id" link={linkTo.buyer(buyerId)} wraps />,
        Purchased: instant(purchase.purchaseTime),
        'Recorded by': recordedBy && <Author madeBy={recordedBy} />,
        Consumed: instant(purchase.consumedTime),
        Voided: instant(purchase.voidedTime),
        'Void reason': purchase.voidReason === undefined ? undefined : voidReasons[purchase.voidReason],
        Refund: purchase.refundAmount !== undefined && (
          <Money price={purchase.refundAmount} currency={purchase.currency} />
        ),
        Subscription: firstPurchaseId && (
          <PageLink {...linkTo.subscription({ packageName, firstPurchaseId })}>
            Period {(periodIndex ?? 0) + 1} of <bdi>{firstPurchaseId}</bdi>
          </PageLink>
        ),
        Starts: instant(purchase.startTime),
        Expires: instant(purchase.expiryTime),
        'Developer payload': purchase.developerPayload && <LongText text={purchase.developerPayload} />,
        Imported: purchase.isImported && 'yes: its authors are those of the file',
      }}
    />
  );
}

const instant = (ms: number | undefined) => ms !== undefined && <Instant ms={ms} clock="app" />;

const voidReasons = { customer: 'requested by the customer', system: 'by the store' };

const okMax = 299;
const indent = 2;

interface DeveloperViewProps {
  readonly of: Pick<PurchaseWithHistory, 'packageName' | 'purchaseId'>;
}

/** A line per read of the purchase API for this kind of purchase, which opens its response. */
export function DeveloperView({ of }: DeveloperViewProps) {
  const view = useQuery(callQuery('getDeveloperView', of));
  return (
    <Panel title="What the developer sees" note="now, by the purchase API" state={view} lines={2}>
      {view.data?.calls.map(({ operationId, path, httpStatus, body }) => (
        <details key={operationId}>
          <Box component="summary" fz="sm">
            <Group component="span" display="inline-flex" gap="xs">
              <LongText text={operationId} />
              <State tone={httpStatus <= okMax ? 'good' : 'waiting'}>{httpStatus}</State>
            </Group>
          </Box>
          <Stack gap="xs" pt="xs">
            <Text size="xs" c="dimmed">
              <LongText text={`GET ${path}`} />
            </Text>
            <CopiedCode code={JSON.stringify(body, undefined, indent)} what={operationId} />
          </Stack>
        </details>
      ))}
    </Panel>
  );
}
