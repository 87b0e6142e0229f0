// Writes a price in the unit of the store (OPENTILL_PRICE_UNIT).

import type { Session } from '@opentill/client/operator';

export type PriceUnit = Session['priceUnit'];

export interface Amount {
  readonly price: number;
  readonly currency: string;
}

/** The digits of minor units in ISO 4217 where they are not 2. Those of Intl are for display: 0 for HUF or IDR. */
const isoDigits: Readonly<Record<string, number>> = {
  ...{
    BIF: 0,
    CLP: 0,
    DJF: 0,
    GNF: 0,
    ISK: 0,
    JPY: 0,
    KMF: 0,
    KRW: 0,
    PYG: 0,
    RWF: 0,
    UGX: 0,
    UYI: 0,
    VND: 0,
  },
  ...{ VUV: 0, XAF: 0, XOF: 0, XPF: 0 },
  ...{ BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
  ...{ CLF: 4, UYW: 4 },
};

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
  return unit === 'minor' ? (isoDigits[currency] ?? 2) : 0;
}

function currencyFormat(
  { currency }: Amount,
  options: Omit<Intl.NumberFormatOptions, 'style' | 'currency'>,
): Intl.NumberFormat {
  return new Intl.NumberFormat('en-GB', { ...options, style: 'currency', currency });
}
