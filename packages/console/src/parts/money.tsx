// A price as the store has it: a whole number, which is never divided, and its currency.

export function Money({ price, currency }: { readonly price: number; readonly currency: string }) {
  return (
    <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {price} {currency}
    </span>
  );
}
