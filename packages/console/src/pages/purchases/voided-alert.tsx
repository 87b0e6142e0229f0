// The void of a purchase as it is stored. Another operator may have voided it first, with another reason.

import { Alert, Stack, Text } from '@mantine/core';
import type { Action, PurchaseWithHistory } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type PurchaseKey, purchaseActionsQuery } from '../../api/purchase.ts';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';
import { GivenReason as StoredReason } from './purchase-history.tsx';

interface VoidedAlertProps {
  readonly of: PurchaseKey;
  readonly purchase: PurchaseWithHistory;
  /** What this page has sent to void the purchase. */
  readonly givenReason: GivenReason | undefined;
}

export function VoidedAlert({ of, purchase, givenReason }: VoidedAlertProps) {
  const actions = useQuery(purchaseActionsQuery(of));
  const stored = actions.data?.actions.find(
    ({ operationId, outcome }) => operationId === 'voidPurchase' && outcome === 'success',
  );
  const wasFirst = givenReason === undefined || actions.isFetching || isSame(stored, givenReason);
  return (
    <Alert color="bad" role="status" title="Voided">
      <Stack gap="xxs">
        <Text size="sm">
          {purchase.voidedTime !== undefined && <Instant ms={purchase.voidedTime} clock="app" />} by{' '}
          <LongText text={purchase.voidedBy ?? 'unknown'} />
        </Text>
        {hasReason(stored) && (
          <Text size="sm" component="div">
            <StoredReason action={stored} />
          </Text>
        )}
        {!wasFirst && (
          <Text size="sm" fw={500}>
            It was void before your call, so your reason was not stored.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function hasReason(action: Action | undefined): boolean {
  return action?.reasonCode !== undefined || action?.note !== undefined || action?.ticket !== undefined;
}

function isSame(stored: Action | undefined, given: GivenReason): boolean {
  return (
    stored?.reasonCode === given.reasonCode && stored?.note === given.note && stored?.ticket === given.ticket
  );
}
