// How an operation rejects a call: an expected outcome, hence a value and not an exception; and the refusals for what
// several operations need and does not exist.

import type { ErrorName, ProblemEntry } from '@opentill/contract/errors.ts';

export class Refusal<Name extends ErrorName = ErrorName> {
  readonly error: Name;
  /** Public: what was expected and what was received; replaces the title of the error. */
  readonly detail: string | undefined;
  /** The invalid values of the request; the purchase API does not show them. */
  readonly errors: readonly ProblemEntry[] | undefined;

  constructor(error: Name, detail?: string, errors?: readonly ProblemEntry[]) {
    this.error = error;
    this.detail = detail;
    this.errors = errors;
  }
}

/** A refusal because of too many calls, which is over after some time. */
export class TooManyCalls extends Refusal<'tooManyRequests'> {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterMs: number) {
    super('tooManyRequests', detail);
    this.retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  }
}

/** A refusal because the server as a whole does as much as it may. */
export class Overload extends Refusal<'unavailable'> {
  readonly isOverload = true;

  constructor(detail: string) {
    super('unavailable', detail);
  }
}

/** A refusal because of one value: `path` is a JSON pointer into the body, or the name of a parameter. */
export function refuseValue<Name extends ErrorName>(
  error: Name,
  path: string,
  message: string,
): Refusal<Name> {
  return new Refusal(error, `${path.replace(/^\//, '')}: ${message}.`, [{ path, message }]);
}

/** For a subscription product or purchase. */
export function noPaymentGateway(): Refusal<'conflict'> {
  const detail = 'Subscriptions require a payment gateway in production: set OPENTILL_PAYMENT_GATEWAY_URL.';
  return new Refusal('conflict', detail);
}

export function noSuchApp(packageName: string): Refusal<'notFound'> {
  return new Refusal('notFound', `App ${packageName} not found.`);
}

export function noSuchPurchase(key: { packageName: string; purchaseId: string }): Refusal<'notFound'> {
  return new Refusal('notFound', `Purchase ${key.purchaseId} of app ${key.packageName} not found.`);
}

/** Only the first purchase identifies a subscription. */
export function noSuchSubscription(key: {
  packageName: string;
  firstPurchaseId: string;
}): Refusal<'notFound'> {
  const { packageName, firstPurchaseId } = key;
  const detail = `Subscription with first purchase ${firstPurchaseId} of app ${packageName} not found.`;
  return new Refusal('notFound', detail);
}

export function noSuchWebhook(packageName: string): Refusal<'notFound'> {
  return new Refusal('notFound', `Webhook of app ${packageName} not found.`);
}

export function noSuchDelivery(key: { packageName: string; deliveryId: string }): Refusal<'notFound'> {
  return new Refusal('notFound', `Delivery ${key.deliveryId} of app ${key.packageName} not found.`);
}
