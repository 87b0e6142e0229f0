// A price in the unit of the store, with the recorded number as its title.

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { sessionQuery } from '../api/session.ts';
import { type Amount, moneyText, type PriceUnit, recordedText, unknownUnit } from './money-text.ts';

/** Whether amounts say that their unit is unknown; in a list, the heading does. */
export const UnitContext = createContext(true);

export function Money({ price, currency }: Amount) {
  const text = useMoneyText();
  const amount = { price, currency };
  const unit = usePriceUnit();
  const saysUnit = use(UnitContext) || unit !== 'unspecified';
  return (
    <span title={recordedText(amount)} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {saysUnit ? text(amount) : recordedText(amount)}
    </span>
  );
}

/** What the heading of a column of amounts says about their unit. */
export function UnitName() {
  if (usePriceUnit() !== 'unspecified') return null;
  return (
    <Text span size="xs" c="dimmed" fw={400} style={{ display: 'block' }}>
      {unknownUnit}
    </Text>
  );
}

/** The price as text, for labels. */
export function useMoneyText(): (amount: Amount) => string {
  const unit = usePriceUnit();
  return (amount) => moneyText(amount, unit);
}

/** The unit of the store. */
export function usePriceUnit(): PriceUnit {
  const { data } = useQuery(sessionQuery);
  return data?.session?.priceUnit ?? 'unspecified';
}
