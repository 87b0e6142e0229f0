// The public exports for the backend of an app: the purchase API and the verification of webhooks.

export type { AppOptions } from './app-connection.ts';
export type { CallOptions } from './call-options.ts';
export type { ConnectionOptions } from './connection.ts';
export type { SettledConsumption } from './consume-once.ts';
export type {
  AccessTokenResponse,
  ConsumePurchaseParameters,
  ConsumptionResult,
  Event,
  EventPage,
  GetLastRecurringPurchaseDetailsParameters,
  GetPurchaseDetailsByProductIdParameters,
  GetPurchaseDetailsParameters,
  GetRecurringPurchaseDetailsParameters,
  GetVoidedPurchasesParameters,
  LastRecurringPurchaseDetails,
  ListEventsParameters,
  ManageRecurringPaymentStatusParameters,
  PaymentStatusChange,
  Problem,
  PurchaseDetails,
  RecurringPurchaseDetails,
  Statement,
  VoidedPurchase,
  VoidedPurchases,
} from './contract-types.ts';
export { OpenTillError } from './opentill-error.ts';
export { PurchaseClient, type PurchaseClientOptions } from './purchase-client.ts';
export type { Fetch } from './runtime-fetch.ts';
export { type SubscriptionAccess, subscriptionAccess } from './subscription-access.ts';
export type { Timing } from './timing.ts';
export type { ClaimedPurchase, ExpectedConsumption, VerifiedPurchase } from './verify-purchase.ts';
export { type StatementProof, verifyStatement } from './verify-statement.ts';
export type { Follow, VoidedPosition, VoidedStep } from './voided-walk.ts';
export { type ReceivedWebhook, verifyWebhook } from './webhooks.ts';
