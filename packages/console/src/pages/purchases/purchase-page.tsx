// One purchase: what was sold, what happened to it and what the developer sees; voids it, or marks it as consumed.

import { Stack } from '@mantine/core';
import type { Purchase, PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery, client } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import type { GivenReason } from '../../parts/reason.tsx';
import { RecordLayout } from '../../parts/record-layout.tsx';
import { productName, Sold } from '../../parts/sold.tsx';
import { PurchaseState } from '../../parts/states.tsx';
import { eventEntry, Story } from '../story.tsx';
import { DeveloperView, PurchaseRecord } from './purchase-record.tsx';
import { VoidButton, VoidedNote } from './void-button.tsx';

type PurchaseKey = Pick<Purchase, 'packageName' | 'purchaseId'>;

export function PurchasePage() {
  const { packageName, purchaseId } = useParams({ from: '/frame/apps/$packageName/purchases/$purchaseId' });
  const key = { packageName, purchaseId };
  // A dialog that is open belongs to its purchase.
  return <PurchaseView key={`${packageName} ${purchaseId}`} of={key} />;
}

function PurchaseView({ of }: { readonly of: PurchaseKey }) {
  const { packageName, purchaseId } = of;
  const purchase = useQuery(callQuery('getPurchase', of));
  const [givenReason, setGivenReason] = useState<GivenReason>();
  const { data } = purchase;
  const isVoided = data?.purchaseState === 1;
  return (
    <Stack gap="lg">
      <PageHeading
        title={data === undefined ? 'Purchase' : productName(data)}
        shown={data && <Sold record={data} />}
        state={data && <PurchaseState purchase={data} />}
        id={{ value: purchaseId, what: 'purchase id' }}
        isRecord
        isVoid={isVoided}
        actions={
          data && (
            <>
              <ConsumeButton purchase={data} />
              <VoidButton purchase={data} onDone={setGivenReason} />
            </>
          )
        }
      />
      {isVoided && givenReason !== undefined && <VoidedNote purchase={data} givenReason={givenReason} />}
      <PanelContent state={purchase} id={purchaseId}>
        {data !== undefined && (
          <RecordLayout state={purchase} facts={<PurchaseRecord purchase={data} />}>
            <Story
              state={purchase}
              entries={data.history.map((event) => eventEntry(event, packageName))}
              removed={
                /completed|started|renewed/.test(data.history[0]?.type ?? '')
                  ? undefined
                  : { packageName, subject: purchaseId, isMoved: data.isImported === true }
              }
            />
            <DeveloperView of={of} />
          </RecordLayout>
        )}
      </PanelContent>
    </Stack>
  );
}

function ConsumeButton({ purchase }: { readonly purchase: PurchaseWithHistory }) {
  const { packageName, purchaseId, type, purchaseState, consumptionState } = purchase;
  return (
    <ChangeButton
      operation="recordConsumption"
      label="Mark as consumed"
      isOffered={type === 'oneTime' && purchaseState === 0 && consumptionState === 0}
      title="Mark a purchase as consumed"
      confirmLabel={`Mark ${productName(purchase)} as consumed`}
      effects={[
        'The purchase is consumed: the app cannot consume it again, and the customer can buy the product again.',
        'The developer gets the event purchase.consumed.',
      ]}
      change={() => client.recordConsumption({ packageName, purchaseId })}
    />
  );
}
