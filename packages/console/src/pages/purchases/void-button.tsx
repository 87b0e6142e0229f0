// Voids a purchase, after showing the effects as they are when the dialog opens, and says what comes next.

import { Alert, Stack, Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { Author } from '../../parts/author.tsx';
import { ChangeButton } from '../../parts/change-button.tsx';
import type { GivenReason } from '../../parts/reason.tsx';
import { productName, Sold } from '../../parts/sold.tsx';
import { Instant } from '../../values/instant.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money, useMoneyText } from '../../values/money.tsx';

interface OfPurchase {
  readonly purchase: PurchaseWithHistory;
}

interface VoidButtonProps extends OfPurchase {
  /** Gets the reason that was sent. */
  readonly onDone: (reason: GivenReason) => void;
}

export function VoidButton({ purchase, onDone }: VoidButtonProps) {
  const { packageName, purchaseId, purchaseState, voidEffects } = purchase;
  return (
    <ChangeButton
      operation="voidPurchase"
      label="Void"
      hotkey="v"
      isOffered={purchaseState !== 1}
      title="Void a purchase"
      confirmLabel={`Void ${productName(purchase)}`}
      isDestructive
      asks="reason"
      isBlocked={() => voidEffects.length === 0}
      effects={voidEffects.map(sentenceOf)}
      change={async (_values, reason) => {
        await client.voidPurchase({ packageName, purchaseId, ...reason });
        return reason;
      }}
      onDone={onDone}
    >
      <Named purchase={purchase} />
      {purchaseState === 1 && <Text size="sm">The purchase is already void.</Text>}
    </ChangeButton>
  );
}

/** What is about to be voided. */
function Named({ purchase }: OfPurchase) {
  const { buyerId, type, consumptionState } = purchase;
  return (
    <Text size="sm">
      <b>
        <Sold record={purchase} />
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

function sentenceOf(effect: PurchaseWithHistory['voidEffects'][number]): ReactNode {
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

interface VoidedNoteProps extends OfPurchase {
  /** What this page has sent to void the purchase. */
  readonly givenReason: GivenReason;
}

/** The store's checkout returns the money. Another operator may have voided the purchase first, with another reason. */
export function VoidedNote({ purchase, givenReason }: VoidedNoteProps) {
  const money = useMoneyText();
  const stored = purchase.history.find(({ type }) => type === 'purchase.voided');
  const { orderId, voidedTime, voidedBy = 'unknown' } = purchase;
  const refund = `return ${money(purchase)}${orderId === undefined ? '' : ` for order ${orderId}`} in your checkout`;
  return (
    <Alert color="good" role="status" title="Voided" maw="none">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          By <Author madeBy={voidedBy} />
          {voidedTime !== undefined && (
            <>
              , at <Instant ms={voidedTime} clock="app" />
            </>
          )}
          . Next: <LongText text={refund} />. OpenTill moves no money.
        </Text>
        {!isSame(stored, givenReason) && (
          <Text size="sm" fw={500}>
            It was void before your call, so your reason was not stored.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function isSame(stored: GivenReason | undefined, given: GivenReason): boolean {
  return (
    stored?.reasonCode === given.reasonCode && stored?.note === given.note && stored?.ticket === given.ticket
  );
}
