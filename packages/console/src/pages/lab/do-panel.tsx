// What a customer, a store or time would do to the app: record a purchase, void, cancel, end the token, and reset.

import { Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Purchase } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labCall, labPurchasesQuery } from '../../api/lab.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ActResult } from './act-result.tsx';
import { useLab } from './lab-context.ts';
import { RecordDialog } from './record-dialog.tsx';

const reasonCode = 'test';
/** A choice with its label. */
const purchaseActionsHeight = 52;

const buttonProps = { size: 'xs', variant: 'default' } as const;

export function DoPanel() {
  const { packageName, isBusy, start, last } = useLab();
  const purchases = useQuery(labPurchasesQuery(packageName));
  const [isRecording, recording] = useDisclosure();
  const [isResetting, resetting] = useDisclosure();
  return (
    <Panel
      title="Do"
      state={purchases.data === undefined ? { ...purchases, isPending: false, data: true } : purchases}
    >
      <Stack gap="sm">
        <Group gap="xs">
          <ActionButton
            size="xs"
            operation="recordPurchase"
            label="Record purchase"
            disabled={isBusy}
            onAct={recording.open}
          />
          <ActionButton
            {...buttonProps}
            operation="putToken"
            label="Expire token"
            disabled={isBusy}
            onAct={() => start(labCall('putToken', { packageName, expiresIn: 0 }))}
          />
          <ActionButton
            {...buttonProps}
            operation="reset"
            label="Reset"
            isEnding
            disabled={isBusy}
            onAct={resetting.open}
          />
        </Group>
        {/* As high as its content will be. */}
        {purchases.isPending ? (
          <Skeleton h={purchaseActionsHeight} />
        ) : (
          <PurchaseActions purchases={purchases.data?.purchases ?? []} />
        )}
        {last !== undefined && <ActResult act={last} />}
      </Stack>
      <RecordDialog isOpen={isRecording} onClose={recording.close} />
      <ResetDialog isOpen={isResetting} onClose={resetting.close} />
    </Panel>
  );
}

function PurchaseActions({ purchases }: { readonly purchases: readonly Purchase[] }) {
  const { packageName, isBusy, start } = useLab();
  const [chosenId, setChosenId] = useState<string>();
  const chosen = purchases.find(({ purchaseId }) => purchaseId === chosenId) ?? purchases[0];
  if (chosen === undefined) {
    return (
      <Text size="sm" c="dimmed" mih={purchaseActionsHeight}>
        There are no purchases to void or cancel.
      </Text>
    );
  }
  const { purchaseId, firstPurchaseId = '' } = chosen;
  return (
    <Group gap="xs" align="flex-end">
      <NativeSelect
        size="xs"
        label="Latest purchases"
        style={{ flex: '1 1 12rem' }}
        value={chosen.purchaseId}
        data={purchases.map((purchase) => ({ value: purchase.purchaseId, label: labelOf(purchase) }))}
        onChange={(event) => setChosenId(event.currentTarget.value)}
      />
      <ActionButton
        {...buttonProps}
        operation="voidPurchase"
        label="Void"
        isEnding
        disabled={isBusy || chosen.purchaseState === 1}
        onAct={() => start(labCall('voidPurchase', { packageName, purchaseId, reasonCode }))}
      />
      <ActionButton
        {...buttonProps}
        operation="cancelSubscription"
        label="Cancel"
        disabled={isBusy || firstPurchaseId === ''}
        onAct={() => start(labCall('cancelSubscription', { packageName, firstPurchaseId, reasonCode }))}
      />
    </Group>
  );
}

function labelOf({ purchaseId, productId, periodIndex, purchaseState }: Purchase): string {
  const month = periodIndex === undefined ? '' : `, month ${periodIndex + 1}`;
  return `${purchaseId}: ${productId}${month}${purchaseState === 1 ? ', voided' : ''}`;
}

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ResetDialog({ isOpen, onClose }: DialogProps) {
  const { packageName, act } = useLab();
  return (
    <ChangeDialog
      title="Reset the app"
      isOpen={isOpen}
      confirmLabel={`Reset ${packageName}`}
      isDestructive
      effects={[
        'Purchases, subscriptions, events and deliveries are removed.',
        'The clock is removed, so the app uses real time again.',
        'Faults and logged calls are removed.',
        'Credentials, tokens, products and the webhook stay.',
      ]}
      change={() => act(labCall('reset', { packageName }))}
      onDone={onClose}
      onClose={onClose}
    />
  );
}
