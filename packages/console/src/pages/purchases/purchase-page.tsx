// One purchase: what was sold, what happened to it and what the developer sees; voids it, or marks it as consumed.

import { Box, Flex, Group, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { hasStatus } from '../../api/client.ts';
import { type PurchaseKey, purchaseQuery, useReadBack } from '../../api/purchase.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { colors } from '../../parts/colors.ts';
import { Id } from '../../parts/id.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { PurchaseState } from '../../parts/purchase-state.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';
import { ConsumeDialog } from './consume-dialog.tsx';
import { DeveloperView } from './purchase-developer-view.tsx';
import { PurchaseRecord } from './purchase-record.tsx';
import { PurchaseStory } from './purchase-story.tsx';
import { Sold } from './sold.tsx';
import { VoidDialog } from './void-dialog.tsx';
import { VoidedNote } from './voided-note.tsx';

export function PurchasePage() {
  const { packageName, purchaseId } = useParams({ from: '/frame/apps/$packageName/purchases/$purchaseId' });
  const key = { packageName, purchaseId };
  // A dialog that is open belongs to its purchase.
  return <PurchaseView key={`${packageName} ${purchaseId}`} of={key} />;
}

function PurchaseView({ of }: { readonly of: PurchaseKey }) {
  usePageTitle(`Purchase ${of.purchaseId}`);
  const purchase = useQuery(purchaseQuery(of));
  const readBack = useReadBack(of);
  const [isVoiding, voiding] = useDisclosure();
  const [isConsuming, consuming] = useDisclosure();
  const [givenReason, setGivenReason] = useState<GivenReason>();
  const { data } = purchase;
  const isVoided = data?.purchaseState === 1;
  const finish = (reason: GivenReason): void => {
    voiding.close();
    setGivenReason(reason);
    void readBack();
  };
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
        <Group gap="xs">
          {data !== undefined && isOpen(data) && (
            <ActionButton
              operation="recordConsumption"
              label="Mark as consumed"
              variant="default"
              onAct={consuming.open}
            />
          )}
          {data !== undefined && !isVoided && (
            <ActionButton operation="voidPurchase" label="Void" hotkey="v" isEnding onAct={voiding.open} />
          )}
        </Group>
      </Group>
      {isVoided && givenReason !== undefined && (
        <VoidedNote of={of} purchase={data} givenReason={givenReason} />
      )}
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
      <VoidDialog
        of={of}
        purchase={data}
        isOpen={isVoiding}
        onDone={finish}
        onClose={voiding.close}
        onOpen={() => void readBack()}
      />
      <ConsumeDialog
        of={of}
        isOpen={isConsuming}
        onDone={() => {
          consuming.close();
          void readBack();
        }}
        onClose={consuming.close}
      />
    </Stack>
  );
}

function isOpen({ type, purchaseState, consumptionState }: PurchaseWithHistory): boolean {
  return type === 'one_time' && purchaseState === 0 && consumptionState === 0;
}
