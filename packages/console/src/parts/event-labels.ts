// The events of purchases and subscriptions as sentences.

const sentences: Readonly<Record<string, string>> = {
  'purchase.completed': 'Bought',
  'purchase.consumed': 'Consumed',
  'purchase.voided': 'Voided',
  'subscription.started': 'Bought: the subscription started',
  'subscription.renewed': 'Paid: the subscription was renewed',
  'subscription.payment_failed': 'A payment for the next period was declined',
  'subscription.auto_payment_cancelled': 'Auto-payment cancelled',
  'subscription.auto_payment_reactivated': 'Auto-payment reactivated',
  'subscription.renewal_price_changed': 'Renewal price changed',
  'subscription.extended': 'Paid time extended',
  'subscription.expired': 'Subscription expired',
  'subscription.terminated': 'Subscription ended at once',
  test: 'Test event',
};

export function eventText(type: string): string {
  return sentences[type] ?? type;
}
