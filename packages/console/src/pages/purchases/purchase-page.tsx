// One purchase: what was sold, what happened to it and what the developer sees; voids it, or marks it as consumed.

import { Box, Flex, Group, Stack, Title } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery, client, hasStatus } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { colors } from '../../parts/colors.ts';
import { usePageTitle } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { GivenReason } from '../../parts/reason.tsx';
import { PurchaseState } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { DeveloperView, type PurchaseKey, PurchaseRecord, Sold } from './purchase-record.tsx';
import { PurchaseStory } from './purchase-story.tsx';
import { VoidButton, VoidedNote } from './void-button.tsx';

export function PurchasePage() {
  const { packageName, purchaseId } = useParams({ from: '/frame/apps/$packageName/purchases/$purchaseId' });
  const key = { packageName, purchaseId };
  // A dialog that is open belongs to its purchase.
  return <PurchaseView key={`${packageName} ${purchaseId}`} of={key} />;
}

function PurchaseView({ of }: { readonly of: PurchaseKey }) {
  usePageTitle(`Purchase ${of.purchaseId}`);
  const purchase = useQuery(callQuery('getPurchase', of));
  const [givenReason, setGivenReason] = useState<GivenReason>();
  const { data } = purchase;
  const isVoided = data?.purchaseState === 1;
  if (hasStatus(purchase.error, 404)) {
    return (
      <Stack gap="lg" align="flex-start">
        <Title order={1}>Purchase</Title>
        <Problem error={purchase.error} />
        <PageLink {...linkTo.find(of.purchaseId)}>Find this id in all apps</PageLink>
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <Group
        justify="space-between"
        align="flex-start"
        {...(isVoided && { pl: 'sm', style: { borderInlineStart: `3px solid ${colors.bad.fill}` } })}
      >
        <Stack gap="xs" style={{ minWidth: 0 }}>
          <Group gap="sm">
            <Title order={1}>{data === undefined ? 'Purchase' : <Sold purchase={data} />}</Title>
            {data !== undefined && <PurchaseState purchase={data} />}
          </Group>
          <Id value={of.purchaseId} what="purchase id" wraps />
        </Stack>
        {data !== undefined && (
          <Group gap="xs">
            <ConsumeButton purchase={data} />
            <VoidButton purchase={data} onDone={setGivenReason} />
          </Group>
        )}
      </Group>
      {isVoided && givenReason !== undefined && <VoidedNote purchase={data} givenReason={givenReason} />}
      <Flex gap="lg" direction={{ base: 'column', lg: 'row' }} align="stretch">
        <Stack gap="lg" flex={1} miw={0}>
          <PurchaseStory of={of} purchase={purchase} />
          <DeveloperView of={of} />
        </Stack>
        <Box w={{ base: '100%', lg: 320 }} style={{ flexShrink: 0 }}>
          <Panel title="Record" state={purchase}>
            {data !== undefined && <PurchaseRecord purchase={data} />}
          </Panel>
        </Box>
      </Flex>
    </Stack>
  );
}

function ConsumeButton({ purchase }: { readonly purchase: PurchaseWithHistory }) {
  const { packageName, purchaseId, type, purchaseState, consumptionState } = purchase;
  return (
    <ChangeButton
      operation="recordConsumption"
      label="Mark as consumed"
      isOffered={type === 'one_time' && purchaseState === 0 && consumptionState === 0}
      title="Mark a purchase as consumed"
      confirmLabel={`Mark ${purchaseId} as consumed`}
      effects={[
        'The purchase is consumed: the app cannot consume it again, and the customer can buy the product again.',
        'The developer gets the event purchase.consumed.',
      ]}
      change={() => client.recordConsumption({ packageName, purchaseId })}
    />
  );
}
