// Writes a price in the unit of the store (OPENTILL_PRICE_UNIT).

import type { Session } from '@opentill/client/operator';

export type PriceUnit = Session['priceUnit'];

export interface Amount {
  readonly price: number;
  readonly currency: string;
}

/** The digits of minor units in ISO 4217 where they are not 2. Those of Intl are for display: 0 for HUF or IDR. */
const isoDigits = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const;

export function recordedText({ price, currency }: Amount): string {
  return `${price} ${currency}`;
}

export function moneyText(amount: Amount, unit: PriceUnit): string {
  const digits = digitsOf(amount, unit);
  return currencyFormat(amount, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    amount.price / 10 ** digits,
  );
}

/** A price at the axis of a chart: "€1.2K". */
export function shortMoneyText(amount: Amount, unit: PriceUnit): string {
  return currencyFormat(amount, { notation: 'compact', maximumFractionDigits: 1 }).format(
    amount.price / 10 ** digitsOf(amount, unit),
  );
}

function digitsOf({ currency }: Amount, unit: PriceUnit): number {
  if (unit !== 'minor') return 0;
  const [digits] = isoDigits.find(([, currencies]) => currencies.split(' ').includes(currency)) ?? [2];
  return digits;
}

function currencyFormat(
  { currency }: Amount,
  options: Omit<Intl.NumberFormatOptions, 'style' | 'currency'>,
): Intl.NumberFormat {
  return new Intl.NumberFormat('en-GB', { ...options, style: 'currency', currency });
}
