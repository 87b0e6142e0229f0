// One purchase: its record, history, deliveries and what the developer sees; voids it.

import { Group, Stack, Title } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { hasStatus } from '../../api/client.ts';
import { type PurchaseKey, purchaseQuery, useReadBack } from '../../api/purchase.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Id } from '../../parts/id.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { pageTitle } from '../../parts/page-title.ts';
import { Panel } from '../../parts/panel.tsx';
import { PurchaseState } from '../../parts/purchase-state.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';
import { PurchaseDeliveries } from './purchase-deliveries.tsx';
import { DeveloperView } from './purchase-developer-view.tsx';
import { PurchaseActions, PurchaseHistory } from './purchase-history.tsx';
import { PurchaseRecord } from './purchase-record.tsx';
import { VoidDialog } from './void-dialog.tsx';
import { VoidedAlert } from './voided-alert.tsx';

export function PurchasePage() {
  const { packageName, purchaseId } = useParams({ from: '/frame/apps/$packageName/purchases/$purchaseId' });
  const key = { packageName, purchaseId };
  // A dialog that is open belongs to its purchase.
  return <PurchaseView key={`${packageName} ${purchaseId}`} of={key} />;
}

function PurchaseView({ of }: { readonly of: PurchaseKey }) {
  useDocumentTitle(pageTitle(`Purchase ${of.purchaseId}`));
  const purchase = useQuery(purchaseQuery(of));
  const readBack = useReadBack(of);
  const [isVoiding, { open, close }] = useDisclosure();
  const [givenReason, setGivenReason] = useState<GivenReason>();
  const { data } = purchase;
  const isVoided = data?.purchaseState === 1;
  const finish = (reason: GivenReason): void => {
    close();
    setGivenReason(reason);
    void readBack();
  };
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap="xs" style={{ minWidth: 0 }}>
          <Group gap="sm">
            <Title order={1}>Purchase</Title>
            {data !== undefined && <PurchaseState purchase={data} />}
          </Group>
          <Id value={of.purchaseId} what="purchase id" wraps />
        </Stack>
        {data !== undefined && !isVoided && (
          <ActionButton operation="voidPurchase" label="Void" hotkey="v" isEnding onAct={open} />
        )}
      </Group>
      {isVoided && <VoidedAlert of={of} purchase={data} givenReason={givenReason} />}
      <Panel title="Record" state={purchase}>
        {data !== undefined && <PurchaseRecord purchase={data} />}
      </Panel>
      {hasStatus(purchase.error, 404) ? (
        <PageLink {...linkTo.find(of.purchaseId)}>Find this id in all apps</PageLink>
      ) : (
        <>
          <PurchaseHistory of={of} purchase={purchase} />
          <PurchaseActions of={of} />
          <PurchaseDeliveries of={of} />
          <DeveloperView of={of} />
        </>
      )}
      <VoidDialog
        of={of}
        isOpen={isVoiding}
        onDone={finish}
        onClose={close}
        onOutdated={() => void readBack()}
      />
    </Stack>
  );
}
