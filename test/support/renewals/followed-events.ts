// The state of a subscription as a receiver of its events follows it.

interface Followed {
  auto: boolean;
  awaits: boolean;
  expired: boolean;
  ended: boolean;
}

/** Before the first event. */
export const nothingFollowed = (): Followed => ({ auto: false, awaits: false, expired: false, ended: false });

/** Whether an event may come next, whose type is followed by its consent, as in type:awaited; the state follows it. */
export function follow(state: Followed, { type, isFirst }: { type: string; isFirst: boolean }): boolean {
  const was = { ...state };
  switch (type) {
    case 'subscription.started':
      state.auto = true;
      return isFirst;
    case 'subscription.renewed':
      return !was.ended && !was.expired;
    case 'subscription.payment_failed':
      return was.auto && !was.ended;
    case 'subscription.auto_payment_cancelled':
      state.auto = false;
      state.awaits = false;
      return was.auto || was.awaits;
    case 'subscription.auto_payment_cancelled:awaited':
      state.auto = false;
      state.awaits = true;
      return was.auto;
    case 'subscription.auto_payment_reactivated':
      state.auto = true;
      return !was.auto && !was.awaits && !was.ended && !was.expired;
    case 'subscription.auto_payment_reactivated:given':
      state.auto = true;
      state.awaits = false;
      return was.awaits && !was.ended && !was.expired;
    case 'subscription.renewal_price_changed':
    case 'subscription.extended':
      return !was.ended && !was.expired;
    case 'subscription.expired':
      state.expired = true;
      state.auto = false;
      return !was.expired && !was.ended;
    case 'subscription.terminated':
      state.ended = true;
      state.auto = false;
      return !was.ended;
    case 'purchase.completed':
      return was.ended || was.expired;
    default:
      return type === 'purchase.voided';
  }
}
