// The actions of a customer, a store or time on the app: record a purchase, void, cancel, end the token, and reset.

import { Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import type { ClockAdvance, Purchase } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callQuery, client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { actionText } from '../../parts/action-labels.tsx';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Choice, Field } from '../../parts/change-fields.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { randomDigits } from '../../runtime/randomness.ts';
import { Instant } from '../../values/instant.tsx';
import { useMoneyText } from '../../values/money.tsx';
import { periodNames } from '../../values/period.ts';
import { counted } from '../../values/quantity-text.ts';
import { type Act, useLab, useLabQuery } from './lab-context.ts';

const reasonCode = 'test';
/** A choice with its label. */
const purchaseActionsHeight = 52;

export function DoPanel() {
  const { packageName, isBusy, start, last } = useLab();
  const purchases = useLabQuery('listPurchases', { packageName, pageSize: 20 });
  return (
    <Panel
      title="Do"
      state={purchases.data === undefined ? { ...purchases, isPending: false, data: true } : purchases}
    >
      <Stack gap="sm">
        <Group gap="xs">
          <RecordButton />
          <ActionButton
            variant="default"
            operation="putToken"
            label="Expire token"
            disabled={isBusy}
            onAct={() => start('putToken', { expiresIn: 0 })}
          />
          <ResetButton />
        </Group>
        {/* As high as its content will be. */}
        {purchases.isPending ? (
          <Skeleton h={purchaseActionsHeight} />
        ) : (
          <PurchaseActions purchases={purchases.data?.purchases ?? []} />
        )}
        {last !== undefined && <ActResult act={last} />}
      </Stack>
    </Panel>
  );
}

function PurchaseActions({ purchases }: { readonly purchases: readonly Purchase[] }) {
  const { isBusy, start } = useLab();
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
        variant="default"
        operation="voidPurchase"
        label="Void"
        isDestructive
        disabled={isBusy || chosen.purchaseState === 1}
        onAct={() => start('voidPurchase', { purchaseId, reasonCode })}
      />
      <ActionButton
        variant="default"
        operation="cancelSubscription"
        label="Cancel"
        disabled={isBusy || firstPurchaseId === ''}
        onAct={() => start('cancelSubscription', { firstPurchaseId, reasonCode })}
      />
    </Group>
  );
}

function labelOf({ purchaseId, productId, periodIndex, purchaseState }: Purchase): string {
  const period = periodIndex === undefined ? '' : `, period ${periodIndex + 1}`;
  return `${purchaseId}: ${productId}${period}${purchaseState === 1 ? ', voided' : ''}`;
}

/** The latest act, and what became of it. */
function ActResult({ act: { call, state, result, error } }: { readonly act: Act }) {
  const { now, count } = { now: 0, count: 0, ...(result as Partial<ClockAdvance> | undefined) };
  const text = { success: actionText(call.operation), pending: 'Running', error: 'Failed' }[state];
  return (
    <Stack gap="xs" align="flex-start">
      <div role="status">
        <Sentence name={call.operation}>{text}</Sentence>
      </div>
      {state === 'success' && call.operation === 'advanceClock' && (
        <Text size="sm" role="status">
          The clock is at <Instant ms={now} />. {counted(count, 'event')} happened.
        </Text>
      )}
      {state === 'error' && <Problem error={error} />}
    </Stack>
  );
}

/** The id is drawn when the dialog opens, so that a retry records nothing twice. */
function RecordButton() {
  const { packageName, isBusy } = useLab();
  const moneyText = useMoneyText();
  const { data } = useQuery(callQuery('listProducts', { packageName, pageSize: 200 }));
  const products = data?.products ?? [];
  const choices = products.map(({ productId, period, price, currency }) => {
    const paid = period === undefined ? 'once' : periodNames[period];
    return [productId, `${productId}: ${moneyText({ price, currency })} ${paid}`];
  });
  return (
    <ChangeButton
      operation="recordPurchase"
      label="Record purchase"
      variant="filled"
      disabled={isBusy || data === undefined}
      title="Record a purchase"
      confirmLabel={({ purchaseId }) => `Record ${purchaseId}`}
      initialValues={{
        productId: products[0]?.productId ?? '',
        purchaseId: `LAB-${randomDigits(13)}`,
        buyerId: '',
        developerPayload: '',
      }}
      isBlocked={({ productId }) => productId === ''}
      change={({ productId = '', purchaseId, buyerId, developerPayload }) =>
        client.recordPurchase({
          ...{ packageName, productId, purchaseId },
          buyerId: buyerId || undefined,
          developerPayload: developerPayload || undefined,
        })
      }
    >
      {products.length === 0 ? (
        <Text size="sm">The app has no products. Create one first.</Text>
      ) : (
        <Choice name="productId" label="Product" choices={Object.fromEntries(choices)} />
      )}
      <Field name="purchaseId" label="Purchase id" required />
      <Field name="buyerId" label="Buyer id" />
      <Field name="developerPayload" label="Developer payload" />
    </ChangeButton>
  );
}

function ResetButton() {
  const { packageName, isBusy } = useLab();
  return (
    <ChangeButton
      operation="reset"
      label="Reset"
      disabled={isBusy}
      title="Reset the app"
      confirmLabel={`Reset ${packageName}`}
      isDestructive
      effects={[
        'Purchases, subscriptions, events and deliveries are removed.',
        'The clock is removed, so the app uses real time again.',
        'Faults and logged calls are removed.',
        'Credentials, tokens, products and the webhook stay.',
      ]}
      change={() => client.reset({ packageName })}
    />
  );
}
