// What comes next after a void that this page made: the store's checkout returns the money. Another operator may have voided
// the purchase first, with another reason.

import { Alert, Stack, Text } from '@mantine/core';
import type { Action, PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type PurchaseKey, purchaseActionsQuery } from '../../api/purchase.ts';
import { Author } from '../../parts/author.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { useMoneyText } from '../../parts/money.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';

interface VoidedNoteProps {
  readonly of: PurchaseKey;
  readonly purchase: PurchaseWithHistory;
  /** What this page has sent to void the purchase. */
  readonly givenReason: GivenReason;
}

export function VoidedNote({ of, purchase, givenReason }: VoidedNoteProps) {
  const actions = useQuery(purchaseActionsQuery(of));
  const money = useMoneyText();
  const stored = actions.data?.actions.find(({ operationId }) => operationId === 'voidPurchase');
  const wasFirst = actions.isFetching || isSame(stored, givenReason);
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
        {!wasFirst && (
          <Text size="sm" fw={500}>
            It was void before your call, so your reason was not stored.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function isSame(stored: Action | undefined, given: GivenReason): boolean {
  return (
    stored?.reasonCode === given.reasonCode && stored?.note === given.note && stored?.ticket === given.ticket
  );
}
