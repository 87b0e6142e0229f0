// Voids a purchase, after showing the effects as they are when the dialog opens, and says what comes next.

import { Alert, Stack, Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import { Author } from '../../parts/author.tsx';
import { ChangeButton } from '../../parts/change-button.tsx';
import { AmountField, Segments, type Values } from '../../parts/change-fields.tsx';
import type { GivenReason } from '../../parts/reason.tsx';
import { productName, Sold } from '../../parts/sold.tsx';
import { Instant, useInstantText } from '../../values/instant.tsx';
import { isolated, LongText } from '../../values/long-text.tsx';
import { useMoneyText, usePriceUnit } from '../../values/money.tsx';
import { typedPrice } from '../../values/money-text.ts';

interface OfPurchase {
  readonly purchase: PurchaseWithHistory;
}

interface VoidButtonProps extends OfPurchase {
  /** Gets the reason that was sent. */
  readonly onDone: (reason: GivenReason) => void;
}

export function VoidButton({ purchase, onDone }: VoidButtonProps) {
  const { packageName, purchaseId, purchaseState, voidEffects, price, currency } = purchase;
  const effectText = useVoidEffectText();
  const unit = usePriceUnit();
  const isFree = price === 0;
  /** NaN while no amount is typed; undefined for the price. */
  const refundOf = ({ refund, refundAmount = '' }: Values): number | undefined => {
    if (refund === 'none') return 0;
    return refund === 'part' ? (typedPrice(refundAmount, currency, unit) ?? Number.NaN) : undefined;
  };
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
      initialValues={{ refund: 'full', refundAmount: '' }}
      isBlocked={(values) => voidEffects.length === 0 || !((refundOf(values) ?? 0) <= price)}
      effects={(values) => voidEffects.map((effect) => effectText(effect, refundOf(values)))}
      change={async (values, reason) => {
        await client.voidPurchase({ packageName, purchaseId, refundAmount: refundOf(values), ...reason });
        return reason;
      }}
      onDone={onDone}
    >
      <Named purchase={purchase} />
      {!isFree && (
        <Segments
          name="refund"
          label="Refund"
          choices={{ full: 'Full refund', part: 'Part', none: 'None' }}
          fields={{
            part: <AmountField name="refundAmount" label="Refund amount" currency={currency} />,
          }}
        />
      )}
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
      {type === 'oneTime' && (consumptionState === 1 ? ', consumed' : ', not consumed')}
    </Text>
  );
}

type Effect = PurchaseWithHistory['voidEffects'][number];

function useVoidEffectText(): (effect: Effect, refundAmount: number | undefined) => string {
  const at = useInstantText('app');
  const money = useMoneyText();
  return (effect, refundAmount) => {
    switch (effect.type) {
      case 'accessEnds':
        return 'Access ends at once.';
      case 'accessEnded':
        return `Access has ended before: the paid time was over at ${at(effect.time)}.`;
      case 'accessContinues':
        return `Access continues until ${at(effect.until)}, because a later period is paid.`;
      case 'consumed':
        return `The purchase was consumed at ${at(effect.consumedTime)}: only the developer can take back what was delivered.`;
      case 'subscriptionEnds':
        return `The subscription, now ${effect.state}, is terminated.`;
      case 'subscriptionUnchanged':
        return `The subscription stays ${effect.state}.`;
      case 'openCharge':
        return 'A charge for the next period is open: if it is paid, that period is voided at once.';
      case 'event':
        return `The developer gets the event ${effect.eventType}.`;
      case 'refund':
        return refundText(effect, refundAmount ?? effect.price);
    }
  };

  function refundText(most: Extract<Effect, { readonly type: 'refund' }>, price: number): string {
    if (price === 0) return 'The buyer gets no money back.';
    if (!(price <= most.price)) return `Type the amount to return, at most ${money(most)}.`;
    const refund = { ...most, price };
    return `Your checkout must return ${money(refund)}${ofOrder(refund)}: OpenTill moves no money.`;
  }
}

/** The direction of an id does not change that of the sentence. */
function ofOrder({ orderId }: { readonly orderId?: string }): string {
  return orderId === undefined ? '' : ` for order ${isolated(orderId)}`;
}

interface VoidedNoteProps extends OfPurchase {
  /** What this page has sent to void the purchase. */
  readonly givenReason: GivenReason;
}

/** The store's checkout returns the money. Another operator may have voided the purchase first, with another reason. */
export function VoidedNote({ purchase, givenReason }: VoidedNoteProps) {
  const money = useMoneyText();
  const stored = purchase.history.find(({ type }) => type === 'purchase.voided');
  const { voidedTime = 0, voidedBy = 'unknown', currency, refundAmount: price = purchase.price } = purchase;
  return (
    <Alert color="good" role="status" title="Voided" maw="none">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          By <Author madeBy={voidedBy} />, at <Instant ms={voidedTime} clock="app" />.{' '}
          {price === 0
            ? 'The buyer gets no money back.'
            : `Next: return ${money({ price, currency })}${ofOrder(purchase)} in your checkout. OpenTill moves no money.`}
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
