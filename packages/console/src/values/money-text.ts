// Writes a price in the unit of the store (OPENTILL_PRICE_UNIT).

import type { Session } from '@opentill/client/operator';
import { digitsOf } from '@opentill/contract/currency-digits.ts';

export type PriceUnit = Session['priceUnit'];

export interface Amount {
  readonly price: number;
  readonly currency: string;
}

export function recordedText({ price, currency }: Amount): string {
  return `${price} ${currency}`;
}

export function moneyText(amount: Amount, unit: PriceUnit): string {
  const digits = digitsOf(amount.currency, unit);
  return currencyFormat(amount, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    amount.price / 10 ** digits,
  );
}

/** The number that the store records for a typed amount: 1299 for "12.99" or "12,99" EUR; undefined if it is none. */
export function typedPrice(text: string, currency: string, unit: PriceUnit): number | undefined {
  const digits = digitsOf(currency, unit);
  const [, whole, part = ''] = /^(\d{1,15})(?:[.,](\d+))?$/.exec(text) ?? [];
  if (whole === undefined || part.length > digits) return undefined;
  return Number(whole + part.padEnd(digits, '0'));
}

/** As it is typed: "12.99". */
export function priceInput({ price, currency }: Amount, unit: PriceUnit): string {
  const digits = digitsOf(currency, unit);
  return (price / 10 ** digits).toFixed(digits);
}

/** A price at the axis of a chart: "€1.2K". */
export function shortMoneyText(amount: Amount, unit: PriceUnit): string {
  return currencyFormat(amount, { notation: 'compact', maximumFractionDigits: 1 }).format(
    amount.price / 10 ** digitsOf(amount.currency, unit),
  );
}

function currencyFormat(
  { currency }: Amount,
  options: Omit<Intl.NumberFormatOptions, 'style' | 'currency'>,
): Intl.NumberFormat {
  return new Intl.NumberFormat('en-GB', { ...options, style: 'currency', currency });
}
