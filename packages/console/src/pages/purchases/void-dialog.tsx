// Voids a purchase, after showing the effects as they are when the dialog opens.

import { Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { type ReactNode, useEffect } from 'react';
import { client } from '../../api/client.ts';
import type { PurchaseKey, VoidEffect } from '../../api/purchase.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';
import { Sold } from './sold.tsx';

interface VoidDialogProps {
  readonly of: PurchaseKey;
  /** undefined until it is read. */
  readonly purchase: PurchaseWithHistory | undefined;
  readonly isOpen: boolean;
  /** Gets the reason that was sent. */
  readonly onDone: (reason: GivenReason) => void;
  /** Reads the purchase again. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export function VoidDialog({ of, purchase, isOpen, onDone, onOpen, onClose }: VoidDialogProps) {
  const effects = purchase?.voidEffects ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if (isOpen) onOpen();
  }, [isOpen]);
  return (
    <ChangeDialog
      title="Void a purchase"
      confirmLabel={`Void ${of.purchaseId}`}
      isDestructive
      isOpen={isOpen}
      asks="reason"
      isBlocked={effects.length === 0}
      effects={effects.map(sentenceOf)}
      change={async (reason) => {
        await client.voidPurchase({ ...of, ...reason });
        return reason;
      }}
      onDone={onDone}
      onClose={onClose}
    >
      {purchase !== undefined && <Named purchase={purchase} />}
      {purchase?.purchaseState === 1 && <Text size="sm">The purchase is already void.</Text>}
    </ChangeDialog>
  );
}

/** What is about to be voided. */
function Named({ purchase }: { readonly purchase: PurchaseWithHistory }) {
  const { buyerId, type, consumptionState } = purchase;
  return (
    <Text size="sm">
      <b>
        <Sold purchase={purchase} />
      </b>
      {buyerId !== undefined && (
        <>
          {' '}
          of buyer <LongText text={buyerId} />
        </>
      )}
      {type === 'one_time' && (consumptionState === 1 ? ', consumed' : ', not consumed')}
    </Text>
  );
}

function sentenceOf(effect: VoidEffect): ReactNode {
  switch (effect.type) {
    case 'accessEnds':
      return 'Access ends at once.';
    case 'accessEnded':
      return (
        <>
          Access has ended before: the paid time was over at <Instant ms={effect.time} clock="app" />.
        </>
      );
    case 'accessContinues':
      return (
        <>
          Access continues until <Instant ms={effect.until} clock="app" />, because a later month is paid.
        </>
      );
    case 'consumed':
      return (
        <>
          The purchase was consumed at <Instant ms={effect.consumedTime} clock="app" />: only the developer
          can take back what was delivered.
        </>
      );
    case 'subscriptionEnds':
      return (
        <>
          Subscription <LongText text={effect.firstPurchaseId} />, now {effect.state}, is terminated.
        </>
      );
    case 'subscriptionUnchanged':
      return (
        <>
          Subscription <LongText text={effect.firstPurchaseId} /> stays {effect.state}.
        </>
      );
    case 'openCharge':
      return 'A charge for the next month is open: if it is paid, that month is voided at once.';
    case 'event':
      return `The developer gets the event ${effect.eventType}.`;
    case 'refund':
      return (
        <>
          Your checkout must return <Money price={effect.price} currency={effect.currency} />
          {effect.orderId !== undefined && (
            <>
              {' '}
              for order <LongText text={effect.orderId} />
            </>
          )}
          : OpenTill moves no money.
        </>
      );
  }
}
