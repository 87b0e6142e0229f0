// Voids a purchase, after showing the effects as they are when the dialog opens, and says what comes next.

import { Alert, Stack, Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import { Author } from '../../parts/author.tsx';
import { ChangeButton } from '../../parts/change-button.tsx';
import type { GivenReason } from '../../parts/reason.tsx';
import { productName, Sold } from '../../parts/sold.tsx';
import { Instant, useInstantText } from '../../values/instant.tsx';
import { isolated, LongText } from '../../values/long-text.tsx';
import { useMoneyText } from '../../values/money.tsx';

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
      effects={voidEffects.map(useVoidEffectText())}
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
      {type === 'oneTime' && (consumptionState === 1 ? ', consumed' : ', not consumed')}
    </Text>
  );
}

type Effect = PurchaseWithHistory['voidEffects'][number];

function useVoidEffectText(): (effect: Effect) => string {
  const at = useInstantText('app');
  const money = useMoneyText();
  return (effect) => {
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
        return `Your checkout must return ${money(effect)}${ofOrder(effect)}: OpenTill moves no money.`;
    }
  };
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
  const { voidedTime = 0, voidedBy = 'unknown' } = purchase;
  return (
    <Alert color="good" role="status" title="Voided" maw="none">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          By <Author madeBy={voidedBy} />, at <Instant ms={voidedTime} clock="app" />. Next: return{' '}
          {money(purchase)}
          {ofOrder(purchase)} in your checkout. OpenTill moves no money.
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
