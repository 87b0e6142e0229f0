// A price in the unit of the store, with the recorded number as its title.

import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { type Amount, moneyText, type PriceUnit, recordedText } from './money-text.ts';

export function Money({ price, currency }: Amount) {
  const text = useMoneyText();
  const amount = { price, currency };
  return (
    <span title={recordedText(amount)} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {text(amount)}
    </span>
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
  return data?.session?.priceUnit ?? 'minor';
}
